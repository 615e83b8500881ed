-- Answers that may be given again. Any of them may be lost.
CREATE TABLE judgements (
    key BLOB PRIMARY KEY,        -- BLAKE3 of what was asked, of whom and how
    judgement BLOB NOT NULL,     -- JSON
    checksum BLOB NOT NULL,      -- BLAKE3 of key, made_at and judgement
    made_at INTEGER NOT NULL,    -- microseconds since the epoch
    used_at INTEGER NOT NULL     -- the same
) STRICT;
CREATE INDEX judgements_by_age ON judgements (made_at);
CREATE INDEX judgements_by_use ON judgements (used_at);

-- Money spent, and set aside for calls that are under way. Never lost once it was committed.
CREATE TABLE spending (
    day INTEGER PRIMARY KEY,     -- days since 1970-01-01 in UTC
    micros INTEGER NOT NULL CHECK (micros >= 0) -- millionths of a dollar
) STRICT;
