-- Lists by what they are restricted to; each index ends in the sequence by itself.
CREATE INDEX evaluations_by_tier ON evaluations (tier);
CREATE INDEX evaluations_by_report ON evaluations (report_id) WHERE report_id <> '';
CREATE INDEX evaluations_by_investigation ON evaluations (investigation_id) WHERE investigation_id <> '';

-- Retention: what is too old, and which policies nothing refers to any more.
CREATE INDEX evaluations_by_time ON evaluations (evaluated_at_micros);
CREATE INDEX evaluations_by_policy ON evaluations (policy_id);

-- Written and emptied again to find out whether the disk takes records once more.
CREATE TABLE probes (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    filling BLOB NOT NULL
) STRICT;
