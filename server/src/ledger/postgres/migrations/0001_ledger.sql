-- Policies as files; evaluations share them.
CREATE TABLE policies (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of toml
    toml   text NOT NULL
);

-- Contents of evidence items, whole; sets of evidence share them.
CREATE TABLE contents (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of the content
    packed bytea NOT NULL                                     -- LZ4 block behind the size, four bytes, little-endian
);
ALTER TABLE contents ALTER COLUMN packed SET STORAGE EXTERNAL; -- it is packed already

-- What is kept of the evidence of an evaluation; evaluations over the same evidence share it.
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

-- Order of recording. Who takes a value holds a shared advisory lock on a value that was taken before until the end of
-- its transaction; so it is known below which value everything is there that ever will be.
CREATE SEQUENCE evaluation_sequence;

-- Which evaluations there are. What has to be unique over all of them stands here, since the evaluations themselves are
-- partitioned by time.
CREATE TABLE evaluation_ids (
    sequence            bigint PRIMARY KEY DEFAULT nextval('evaluation_sequence'), -- never used twice
    evaluation_id       text NOT NULL UNIQUE,
    owner               text NOT NULL, -- for whom it is kept: the name of a principal; empty where callers have none
    idempotency_key     text,          -- a name that each owner gives by itself
    request_digest      bytea NOT NULL CHECK (length(request_digest) = 32),
    evaluated_at_micros bigint NOT NULL,
    UNIQUE (owner, idempotency_key)
);
CREATE INDEX evaluation_ids_by_time ON evaluation_ids (evaluated_at_micros);

-- One row for each of evaluation_ids, in partitions of a month of evaluated_at_micros.
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
    score_numerator     bigint,           -- 64 bits without sign; NULL where there is no score
    score_denominator   bigint,
    claims              bigint NOT NULL,
    evidence_set_id     bigint NOT NULL REFERENCES evidence_sets (id),
    report              bytea NOT NULL,   -- gsar.v1.Report
    response            bytea NOT NULL,   -- gsar.v1.EvaluateResponse
    PRIMARY KEY (sequence, evaluated_at_micros),
    CHECK ((score_numerator IS NULL) = (score_denominator IS NULL))
) PARTITION BY RANGE (evaluated_at_micros);

-- What was evaluated in a month that has no partition of its own.
CREATE TABLE evaluations_default PARTITION OF evaluations DEFAULT;

CREATE INDEX evaluations_by_tier ON evaluations (tier, sequence);
CREATE INDEX evaluations_by_report ON evaluations (report_id, sequence) WHERE report_id <> '';
CREATE INDEX evaluations_by_investigation ON evaluations (investigation_id, sequence) WHERE investigation_id <> '';
CREATE INDEX evaluations_by_owner ON evaluations (owner, sequence) WHERE owner <> '';
CREATE INDEX evaluations_by_policy ON evaluations (policy_id);
CREATE INDEX evaluations_by_evidence_set ON evaluations (evidence_set_id);

-- Investigations that are driven. Where one stands follows from its events.
CREATE TABLE investigations (
    owner             text NOT NULL,
    investigation_id  text NOT NULL,     -- a name that each owner gives by itself
    started_at_micros bigint NOT NULL,
    start             bytea NOT NULL,    -- gsar.v1.StartInvestigationRequest
    policy_toml       text NOT NULL,
    PRIMARY KEY (owner, investigation_id)
);
CREATE INDEX investigations_by_time ON investigations (started_at_micros);

CREATE TABLE investigation_events (
    owner            text NOT NULL,
    investigation_id text NOT NULL,
    step             bigint NOT NULL,   -- from 1, without gaps
    request_digest   bytea NOT NULL CHECK (length(request_digest) = 32),
    event            bytea NOT NULL,    -- gsar.v1.InvestigationEvent
    PRIMARY KEY (owner, investigation_id, step),
    FOREIGN KEY (owner, investigation_id) REFERENCES investigations (owner, investigation_id) ON DELETE CASCADE
);

-- What people say of evaluations. The last word of each grader on each subject.
CREATE TABLE grades (
    sequence         bigint NOT NULL REFERENCES evaluation_ids (sequence) ON DELETE CASCADE,
    claim_id         text NOT NULL,      -- empty: the report as a whole
    grader           text NOT NULL CHECK (grader <> ''),
    graded_at_micros bigint NOT NULL,
    verdict          integer NOT NULL,
    note             text NOT NULL,
    PRIMARY KEY (sequence, claim_id, grader)
);
