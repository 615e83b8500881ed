-- What of the spending of a day was on behalf of each principal. Never lost once it was committed.
CREATE TABLE spending_of_principals (
    day INTEGER NOT NULL,        -- days since 1970-01-01 in UTC
    principal TEXT NOT NULL CHECK (principal <> ''),
    micros INTEGER NOT NULL CHECK (micros >= 0), -- contained in spending of that day
    PRIMARY KEY (day, principal)
) STRICT, WITHOUT ROWID;
