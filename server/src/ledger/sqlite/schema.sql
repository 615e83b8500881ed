-- Policy files, shared by evaluations.
CREATE TABLE policies (
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of toml
    toml   TEXT NOT NULL
) STRICT;

-- Full contents of evidence items, shared by evidence sets.
CREATE TABLE contents (
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of the content
    packed BLOB NOT NULL                                     -- size (four bytes, little-endian), then an LZ4 block
) STRICT;

-- Recorded evidence, shared by evaluations with the same evidence.
CREATE TABLE evidence_sets (
    id       INTEGER PRIMARY KEY,
    digest   BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of evidence
    evidence BLOB NOT NULL                                     -- gsar.v1.GetEvaluationResponse with evidence only
) STRICT;

CREATE TABLE evidence_set_contents (
    set_id     INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    PRIMARY KEY (set_id, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_set_contents_by_content ON evidence_set_contents (content_id, set_id);

-- One row per evaluation. The short columns come first so that lists never read the documents.
CREATE TABLE evaluations (
    sequence            INTEGER PRIMARY KEY AUTOINCREMENT, -- recording order; never reused
    evaluation_id       TEXT NOT NULL UNIQUE,
    owner               TEXT NOT NULL,                     -- name of the principal; empty if there are no principals
    evaluated_at_micros INTEGER NOT NULL,                  -- since 1970-01-01T00:00:00Z
    report_id           TEXT NOT NULL,
    investigation_id    TEXT NOT NULL,
    policy              TEXT NOT NULL,
    policy_id           INTEGER NOT NULL REFERENCES policies (id),
    judge               TEXT NOT NULL,
    outcome             INTEGER NOT NULL,                  -- number of gsar.v1.Outcome
    tier                INTEGER NOT NULL,                  -- number of gsar.v1.Tier
    score_numerator     INTEGER,                           -- unsigned 64-bit value; NULL if there is no score
    score_denominator   INTEGER,
    claims              INTEGER NOT NULL,
    grounded            INTEGER,                           -- claims counted as grounded; NULL if unknown
    in_shadow           INTEGER NOT NULL,                  -- 1: the tier was not enforced
    fell_back           INTEGER NOT NULL,                  -- 1: the first judge failed and another one was used
    idempotency_key     TEXT,                              -- unique per owner
    request_digest      BLOB NOT NULL CHECK (length(request_digest) = 32),
    evidence_set_id     INTEGER NOT NULL REFERENCES evidence_sets (id),
    report              BLOB NOT NULL,                     -- gsar.v1.Report
    response            BLOB NOT NULL,                     -- gsar.v1.EvaluateResponse
    CHECK ((score_numerator IS NULL) = (score_denominator IS NULL))
) STRICT;

CREATE UNIQUE INDEX evaluations_by_key ON evaluations (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- Indexes for lists. Each implicitly ends with the sequence.
CREATE INDEX evaluations_by_tier ON evaluations (tier);
CREATE INDEX evaluations_by_report ON evaluations (report_id) WHERE report_id <> '';
CREATE INDEX evaluations_by_investigation ON evaluations (investigation_id) WHERE investigation_id <> '';
CREATE INDEX evaluations_by_owner ON evaluations (owner) WHERE owner <> '';

-- An index for retention, which also covers counts.
CREATE INDEX evaluations_by_time
    ON evaluations (evaluated_at_micros, owner, policy, judge, outcome, tier, in_shadow, fell_back);

-- Indexes to find policies and evidence sets that are no longer referenced.
CREATE INDEX evaluations_by_policy ON evaluations (policy_id);
CREATE INDEX evaluations_by_evidence_set ON evaluations (evidence_set_id);

-- Reports that could be sent although not every claim is known to be grounded. 1 is gsar.v1.TIER_PROCEED.
CREATE INDEX evaluations_unproven ON evaluations (sequence)
    WHERE (tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow = 1 AND tier <> 1);

-- Grades given by people. Only each grader's latest grade for each subject is stored.
CREATE TABLE grades (
    sequence         INTEGER NOT NULL, -- of the evaluation
    claim_id         TEXT NOT NULL,    -- empty for the report as a whole
    grader           TEXT NOT NULL CHECK (grader <> ''),
    graded_at_micros INTEGER NOT NULL, -- since 1970-01-01T00:00:00Z
    verdict          INTEGER NOT NULL, -- number of gsar.v1.Tier for the report, of gsar.v1.ClaimClass for a claim
    note             TEXT NOT NULL,
    PRIMARY KEY (sequence, claim_id, grader)
) STRICT, WITHOUT ROWID;

-- Driven investigations. The state of an investigation is derived from its events.
CREATE TABLE investigations (
    owner             TEXT NOT NULL,
    investigation_id  TEXT NOT NULL,    -- unique per owner
    started_at_micros INTEGER NOT NULL, -- since 1970-01-01T00:00:00Z
    start             BLOB NOT NULL,    -- gsar.v1.StartInvestigationRequest
    policy_toml       TEXT NOT NULL,    -- the policy of the whole investigation
    PRIMARY KEY (owner, investigation_id)
) STRICT;

CREATE INDEX investigations_by_time ON investigations (started_at_micros);

CREATE TABLE investigation_events (
    owner            TEXT NOT NULL,
    investigation_id TEXT NOT NULL,
    step             INTEGER NOT NULL, -- from 1, without gaps
    request_digest   BLOB NOT NULL CHECK (length(request_digest) = 32), -- BLAKE3 of the request
    event            BLOB NOT NULL,    -- gsar.v1.InvestigationEvent
    PRIMARY KEY (owner, investigation_id, step)
) STRICT, WITHOUT ROWID;

-- A row is written and deleted to test whether a failed ledger can be written to again.
CREATE TABLE probes (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    filling BLOB NOT NULL
) STRICT;

-- Deleting an evaluation deletes everything that only it refers to.
CREATE TRIGGER evaluation_graded_deleted AFTER DELETE ON evaluations
BEGIN
    DELETE FROM grades WHERE sequence = old.sequence;
END;

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

-- Deleting the last evaluation of an investigation deletes the investigation.
CREATE TRIGGER investigation_unused AFTER DELETE ON evaluations
WHEN old.investigation_id <> '' AND NOT EXISTS (
    SELECT 1 FROM evaluations WHERE owner = old.owner AND investigation_id = old.investigation_id)
BEGIN
    DELETE FROM investigations WHERE owner = old.owner AND investigation_id = old.investigation_id;
END;

CREATE TRIGGER investigation_deleted AFTER DELETE ON investigations
BEGIN
    DELETE FROM investigation_events WHERE owner = old.owner AND investigation_id = old.investigation_id;
END;
