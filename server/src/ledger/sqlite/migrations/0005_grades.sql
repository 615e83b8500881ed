-- What people say of evaluations. The last word of each grader on each subject.
CREATE TABLE grades (
    sequence         INTEGER NOT NULL, -- of the evaluation
    claim_id         TEXT NOT NULL,    -- empty: the report as a whole
    grader           TEXT NOT NULL CHECK (grader <> ''),
    graded_at_micros INTEGER NOT NULL, -- since 1970-01-01T00:00:00Z
    verdict          INTEGER NOT NULL, -- number of gsar.v1.Tier for the report, of gsar.v1.ClaimClass for a claim
    note             TEXT NOT NULL,
    PRIMARY KEY (sequence, claim_id, grader)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER evaluation_graded_deleted AFTER DELETE ON evaluations
BEGIN
    DELETE FROM grades WHERE sequence = old.sequence;
END;
