-- Answers that may be given again, by any server. Any of them may be lost.
CREATE TABLE judgements (
    key       bytea PRIMARY KEY, -- BLAKE3 of what was asked, of whom and how
    judgement bytea NOT NULL,    -- JSON
    made_at   bigint NOT NULL,   -- microseconds since 1970-01-01T00:00:00Z
    used_at   bigint NOT NULL    -- the same, to the minute
);
CREATE INDEX judgements_by_age ON judgements (made_at);
CREATE INDEX judgements_by_use ON judgements (used_at);

-- Money spent by all servers, and set aside for calls that are under way. Never lost once it was committed.
CREATE TABLE spending (
    day    bigint PRIMARY KEY,                     -- days since 1970-01-01 in UTC
    micros bigint NOT NULL CHECK (micros >= 0)     -- millionths of a dollar
);

-- What is set aside for each call; a row goes when the call is settled, so that it is settled once.
CREATE TABLE reservations (
    id     uuid PRIMARY KEY,
    day    bigint NOT NULL,
    micros bigint NOT NULL CHECK (micros >= 0)     -- contained in spending of that day
);
