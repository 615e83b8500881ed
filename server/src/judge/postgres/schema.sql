-- Cached answers, shared by all servers. Any of them may be lost.
CREATE TABLE judgements (
    key       bytea PRIMARY KEY, -- BLAKE3 of the request and the judge
    judgement bytea NOT NULL,    -- JSON
    made_at   bigint NOT NULL,   -- microseconds since 1970-01-01T00:00:00Z
    used_at   bigint NOT NULL    -- the same, to the minute
);
CREATE INDEX judgements_by_age ON judgements (made_at);
CREATE INDEX judgements_by_use ON judgements (used_at);

-- Money spent by all servers, and reserved for calls in progress. Never lost once committed.
CREATE TABLE spending (
    day    bigint PRIMARY KEY,                     -- days since 1970-01-01 in UTC
    micros bigint NOT NULL CHECK (micros >= 0)     -- millionths of a dollar
);

-- The share of each principal in the spending of a day, by all servers. Never lost once committed.
CREATE TABLE spending_of_principals (
    day       bigint NOT NULL,                     -- days since 1970-01-01 in UTC
    principal text NOT NULL CHECK (principal <> ''),
    micros    bigint NOT NULL CHECK (micros >= 0), -- included in spending of that day
    PRIMARY KEY (day, principal)
);

-- The amount reserved for each call; settling the call deletes its row, so that it is settled once.
CREATE TABLE reservations (
    id        uuid PRIMARY KEY,
    day       bigint NOT NULL,
    micros    bigint NOT NULL CHECK (micros >= 0), -- included in spending of that day
    principal text NOT NULL                        -- empty without a principal
);
