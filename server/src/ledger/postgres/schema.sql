-- Policy files, shared by evaluations.
CREATE TABLE policies (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of toml
    toml   text NOT NULL
);

-- Full contents of evidence items, shared by evidence sets.
CREATE TABLE contents (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of the content
    packed bytea NOT NULL                                     -- size (four bytes, little-endian), then an LZ4 block
);
ALTER TABLE contents ALTER COLUMN packed SET STORAGE EXTERNAL; -- already compressed

-- Recorded evidence, shared by evaluations with the same evidence.
CREATE TABLE evidence_sets (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest   bytea NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of evidence
    evidence bytea NOT NULL                                     -- gsar.v1.GetEvaluationResponse with evidence only
);

CREATE TABLE evidence_set_contents (
    set_id     bigint NOT NULL REFERENCES evidence_sets (id) ON DELETE CASCADE,
    content_id bigint NOT NULL REFERENCES contents (id),
    PRIMARY KEY (set_id, content_id)
);
CREATE INDEX evidence_set_contents_by_content ON evidence_set_contents (content_id);

-- Recording order. Until its transaction ends, a writer holds a shared advisory lock on the last value before its own, so
-- that readers know the value up to which all rows are visible.
CREATE SEQUENCE evaluation_sequence;

-- One row per evaluation, with the unique columns, because `evaluations` is partitioned by time.
CREATE TABLE evaluation_ids (
    sequence            bigint PRIMARY KEY DEFAULT nextval('evaluation_sequence'), -- never reused
    evaluation_id       text NOT NULL UNIQUE,
    owner               text NOT NULL, -- name of the principal; empty if there are no principals
    idempotency_key     text,          -- unique per owner
    request_digest      bytea NOT NULL CHECK (length(request_digest) = 32),
    evaluated_at_micros bigint NOT NULL,
    UNIQUE (owner, idempotency_key)
);
CREATE INDEX evaluation_ids_by_time ON evaluation_ids (evaluated_at_micros);

-- One row per row of evaluation_ids, partitioned by the month of evaluated_at_micros.
CREATE TABLE evaluations (
    sequence            bigint NOT NULL,
    evaluation_id       text NOT NULL,
    owner               text NOT NULL,   -- as in evaluation_ids
    evaluated_at_micros bigint NOT NULL, -- since 1970-01-01T00:00:00Z
    report_id           text NOT NULL,
    investigation_id    text NOT NULL,
    policy              text NOT NULL,
    policy_id           bigint NOT NULL REFERENCES policies (id),
    judge               text NOT NULL,
    outcome             integer NOT NULL, -- number of gsar.v1.Outcome
    tier                integer NOT NULL, -- number of gsar.v1.Tier
    score_numerator     bigint,           -- unsigned 64-bit value; NULL if there is no score
    score_denominator   bigint,
    claims              bigint NOT NULL,
    grounded            bigint,           -- claims counted as grounded; NULL if unknown
    in_shadow           boolean NOT NULL, -- the tier was not enforced
    fell_back           boolean NOT NULL, -- the first judge failed and another one was used
    evidence_set_id     bigint NOT NULL REFERENCES evidence_sets (id),
    report              bytea NOT NULL,   -- gsar.v1.Report
    response            bytea NOT NULL,   -- gsar.v1.EvaluateResponse
    PRIMARY KEY (sequence, evaluated_at_micros),
    CHECK ((score_numerator IS NULL) = (score_denominator IS NULL))
) PARTITION BY RANGE (evaluated_at_micros);

-- Evaluations from months without a partition.
CREATE TABLE evaluations_default PARTITION OF evaluations DEFAULT;

CREATE INDEX evaluations_by_tier ON evaluations (tier, sequence);
CREATE INDEX evaluations_by_report ON evaluations (report_id, sequence) WHERE report_id <> '';
CREATE INDEX evaluations_by_investigation ON evaluations (investigation_id, sequence) WHERE investigation_id <> '';
CREATE INDEX evaluations_by_owner ON evaluations (owner, sequence) WHERE owner <> '';
CREATE INDEX evaluations_by_policy ON evaluations (policy_id);
CREATE INDEX evaluations_by_evidence_set ON evaluations (evidence_set_id);

-- A covering index for counts.
CREATE INDEX evaluations_by_time
    ON evaluations (evaluated_at_micros, owner, policy, judge, outcome, tier, in_shadow, fell_back);

-- Reports that could be sent although not every claim is known to be grounded. 1 is gsar.v1.TIER_PROCEED.
CREATE INDEX evaluations_unproven ON evaluations (sequence)
    WHERE (tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow AND tier <> 1);

-- Driven investigations. The state of an investigation is derived from its events.
CREATE TABLE investigations (
    owner             text NOT NULL,
    investigation_id  text NOT NULL,     -- unique per owner
    started_at_micros bigint NOT NULL,
    start             bytea NOT NULL,    -- gsar.v1.StartInvestigationRequest
    policy_toml       text NOT NULL,     -- the policy of the whole investigation
    PRIMARY KEY (owner, investigation_id)
);
CREATE INDEX investigations_by_time ON investigations (started_at_micros);

CREATE TABLE investigation_events (
    owner            text NOT NULL,
    investigation_id text NOT NULL,
    step             bigint NOT NULL,   -- from 1, without gaps
    request_digest   bytea NOT NULL CHECK (length(request_digest) = 32), -- BLAKE3 of the request
    event            bytea NOT NULL,    -- gsar.v1.InvestigationEvent
    PRIMARY KEY (owner, investigation_id, step),
    FOREIGN KEY (owner, investigation_id) REFERENCES investigations (owner, investigation_id) ON DELETE CASCADE
);

-- Grades given by people. Only each grader's latest grade for each subject is stored.
CREATE TABLE grades (
    sequence         bigint NOT NULL REFERENCES evaluation_ids (sequence) ON DELETE CASCADE,
    claim_id         text NOT NULL,      -- empty for the report as a whole
    grader           text NOT NULL CHECK (grader <> ''),
    graded_at_micros bigint NOT NULL,
    verdict          integer NOT NULL,   -- number of gsar.v1.Tier for the report, of gsar.v1.ClaimClass for a claim
    note             text NOT NULL,
    PRIMARY KEY (sequence, claim_id, grader)
);
