-- Contents of evidence items, whole; evaluations share them.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of the content
    packed BLOB NOT NULL                                     -- LZ4 block behind the size, four bytes, little-endian
) STRICT;

CREATE TABLE evaluation_contents (
    sequence   INTEGER NOT NULL, -- of the evaluation
    content_id INTEGER NOT NULL REFERENCES contents (id),
    PRIMARY KEY (sequence, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX evaluation_contents_by_content ON evaluation_contents (content_id, sequence);

-- However an evaluation is deleted, what only it has goes with it.
CREATE TRIGGER evaluation_deleted AFTER DELETE ON evaluations
BEGIN
    DELETE FROM evaluation_contents WHERE sequence = old.sequence;
END;

CREATE TRIGGER content_unused AFTER DELETE ON evaluation_contents
WHEN NOT EXISTS (SELECT 1 FROM evaluation_contents WHERE content_id = old.content_id)
BEGIN
    DELETE FROM contents WHERE id = old.content_id;
END;
