-- For whom an evaluation is kept: the name of a principal; empty where callers have none. Keys and investigations are names
-- that each principal gives by itself.
ALTER TABLE evaluations ADD COLUMN owner TEXT NOT NULL DEFAULT '';

DROP INDEX evaluations_by_key;
CREATE UNIQUE INDEX evaluations_by_key ON evaluations (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX evaluations_by_owner ON evaluations (owner) WHERE owner <> '';

DROP TRIGGER investigation_unused;
DROP TRIGGER investigation_deleted;

CREATE TABLE owned_investigations (
    owner             TEXT NOT NULL,
    investigation_id  TEXT NOT NULL,
    started_at_micros INTEGER NOT NULL, -- since 1970-01-01T00:00:00Z
    start             BLOB NOT NULL,    -- gsar.v1.StartInvestigationRequest
    policy_toml       TEXT NOT NULL,    -- the policy that applies to all of it
    PRIMARY KEY (owner, investigation_id)
) STRICT;
INSERT INTO owned_investigations SELECT '', investigation_id, started_at_micros, start, policy_toml FROM investigations;
DROP TABLE investigations;
ALTER TABLE owned_investigations RENAME TO investigations;
CREATE INDEX investigations_by_time ON investigations (started_at_micros);

CREATE TABLE owned_investigation_events (
    owner            TEXT NOT NULL,
    investigation_id TEXT NOT NULL,
    step             INTEGER NOT NULL, -- from 1, without gaps
    request_digest   BLOB NOT NULL CHECK (length(request_digest) = 32), -- BLAKE3 of what was answered
    event            BLOB NOT NULL,    -- gsar.v1.InvestigationEvent
    PRIMARY KEY (owner, investigation_id, step)
) STRICT, WITHOUT ROWID;
INSERT INTO owned_investigation_events SELECT '', investigation_id, step, request_digest, event FROM investigation_events;
DROP TABLE investigation_events;
ALTER TABLE owned_investigation_events RENAME TO investigation_events;

CREATE TRIGGER investigation_deleted AFTER DELETE ON investigations
BEGIN
    DELETE FROM investigation_events WHERE owner = old.owner AND investigation_id = old.investigation_id;
END;

-- An investigation goes with the last of its evaluations.
CREATE TRIGGER investigation_unused AFTER DELETE ON evaluations
WHEN old.investigation_id <> '' AND NOT EXISTS (
    SELECT 1 FROM evaluations WHERE owner = old.owner AND investigation_id = old.investigation_id)
BEGIN
    DELETE FROM investigations WHERE owner = old.owner AND investigation_id = old.investigation_id;
END;
