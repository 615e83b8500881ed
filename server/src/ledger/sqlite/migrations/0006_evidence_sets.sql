-- What is kept of the evidence of an evaluation; evaluations over the same evidence share it.
CREATE TABLE evidence_sets (
    id       INTEGER PRIMARY KEY,
    digest   BLOB UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of evidence; NULL where it was recorded before sets were shared
    evidence BLOB NOT NULL                            -- gsar.v1.GetEvaluationResponse with evidence only
) STRICT;

CREATE TABLE evidence_set_contents (
    set_id     INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    PRIMARY KEY (set_id, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_set_contents_by_content ON evidence_set_contents (content_id, set_id);

INSERT INTO evidence_sets (id, evidence) SELECT sequence, evidence FROM evaluations;
INSERT INTO evidence_set_contents SELECT sequence, content_id FROM evaluation_contents;

DROP TRIGGER evaluation_deleted;
DROP TABLE evaluation_contents; -- with its trigger
ALTER TABLE evaluations ADD COLUMN evidence_set_id INTEGER REFERENCES evidence_sets (id);
UPDATE evaluations SET evidence_set_id = sequence;
ALTER TABLE evaluations DROP COLUMN evidence;

CREATE INDEX evaluations_by_evidence_set ON evaluations (evidence_set_id);

-- However an evaluation is deleted, what only it has goes with it.
CREATE TRIGGER evidence_set_unused AFTER DELETE ON evaluations
WHEN NOT EXISTS (SELECT 1 FROM evaluations WHERE evidence_set_id = old.evidence_set_id)
BEGIN
    DELETE FROM evidence_sets WHERE id = old.evidence_set_id;
END;

CREATE TRIGGER evidence_set_deleted AFTER DELETE ON evidence_sets
BEGIN
    DELETE FROM evidence_set_contents WHERE set_id = old.id;
END;

CREATE TRIGGER content_unused AFTER DELETE ON evidence_set_contents
WHEN NOT EXISTS (SELECT 1 FROM evidence_set_contents WHERE content_id = old.content_id)
BEGIN
    DELETE FROM contents WHERE id = old.content_id;
END;
