-- Cached answers. Any of them may be lost.
CREATE TABLE judgements (
    key BLOB PRIMARY KEY,        -- BLAKE3 of the request and the judge
    judgement BLOB NOT NULL,     -- JSON
    checksum BLOB NOT NULL,      -- BLAKE3 of key, made_at and judgement
    made_at INTEGER NOT NULL,    -- microseconds since 1970-01-01T00:00:00Z
    used_at INTEGER NOT NULL     -- the same
) STRICT;
CREATE INDEX judgements_by_age ON judgements (made_at);
CREATE INDEX judgements_by_use ON judgements (used_at);

-- Money spent, and reserved for calls in progress. Never lost once committed.
CREATE TABLE spending (
    day INTEGER PRIMARY KEY,     -- days since 1970-01-01 in UTC
    micros INTEGER NOT NULL CHECK (micros >= 0) -- millionths of a dollar
) STRICT;

-- The share of each principal in the spending of a day. Never lost once committed.
CREATE TABLE spending_of_principals (
    day INTEGER NOT NULL,        -- days since 1970-01-01 in UTC
    principal TEXT NOT NULL CHECK (principal <> ''),
    micros INTEGER NOT NULL CHECK (micros >= 0), -- included in spending of that day
    PRIMARY KEY (day, principal)
) STRICT, WITHOUT ROWID;
