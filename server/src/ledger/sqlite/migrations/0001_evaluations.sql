-- Policies as files; evaluations share them.
CREATE TABLE policies (
    id     INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- BLAKE3 of toml
    toml   TEXT NOT NULL
) STRICT;

-- One row for each evaluation. The short columns come first: a list never reads the documents.
CREATE TABLE evaluations (
    sequence            INTEGER PRIMARY KEY AUTOINCREMENT, -- order of recording; never used twice
    evaluation_id       TEXT NOT NULL UNIQUE,
    evaluated_at_micros INTEGER NOT NULL,                  -- since 1970-01-01T00:00:00Z
    report_id           TEXT NOT NULL,
    investigation_id    TEXT NOT NULL,
    policy              TEXT NOT NULL,
    policy_id           INTEGER NOT NULL REFERENCES policies (id),
    judge               TEXT NOT NULL,
    outcome             INTEGER NOT NULL,                  -- number of gsar.v1.Outcome
    tier                INTEGER NOT NULL,                  -- number of gsar.v1.Tier
    score_numerator     INTEGER,                           -- 64 bits without sign; NULL where there is no score
    score_denominator   INTEGER,
    claims              INTEGER NOT NULL,
    idempotency_key     TEXT,
    request_digest      BLOB NOT NULL CHECK (length(request_digest) = 32),
    report              BLOB NOT NULL,                     -- gsar.v1.Report
    response            BLOB NOT NULL,                     -- gsar.v1.EvaluateResponse
    evidence            BLOB NOT NULL,                     -- gsar.v1.GetEvaluationResponse with evidence only
    CHECK ((score_numerator IS NULL) = (score_denominator IS NULL))
) STRICT;

CREATE UNIQUE INDEX evaluations_by_key ON evaluations (idempotency_key) WHERE idempotency_key IS NOT NULL;
