-- Investigations that are driven. Where one stands follows from its events.
CREATE TABLE investigations (
    investigation_id  TEXT PRIMARY KEY,
    started_at_micros INTEGER NOT NULL, -- since 1970-01-01T00:00:00Z
    start             BLOB NOT NULL,    -- gsar.v1.StartInvestigationRequest
    policy_toml       TEXT NOT NULL     -- the policy that applies to all of it
) STRICT;

CREATE INDEX investigations_by_time ON investigations (started_at_micros);

CREATE TABLE investigation_events (
    investigation_id TEXT NOT NULL,
    step             INTEGER NOT NULL, -- from 1, without gaps
    request_digest   BLOB NOT NULL CHECK (length(request_digest) = 32), -- BLAKE3 of what was answered
    event            BLOB NOT NULL,    -- gsar.v1.InvestigationEvent
    PRIMARY KEY (investigation_id, step)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER investigation_deleted AFTER DELETE ON investigations
BEGIN
    DELETE FROM investigation_events WHERE investigation_id = old.investigation_id;
END;

-- An investigation goes with the last of its evaluations.
CREATE TRIGGER investigation_unused AFTER DELETE ON evaluations
WHEN old.investigation_id <> ''
    AND NOT EXISTS (SELECT 1 FROM evaluations WHERE investigation_id = old.investigation_id)
BEGIN
    DELETE FROM investigations WHERE investigation_id = old.investigation_id;
END;
