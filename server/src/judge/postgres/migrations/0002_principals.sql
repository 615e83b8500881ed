-- What of the spending of a day was on behalf of each principal, by all servers. Never lost once it was committed.
CREATE TABLE spending_of_principals (
    day       bigint NOT NULL,                     -- days since 1970-01-01 in UTC
    principal text NOT NULL CHECK (principal <> ''),
    micros    bigint NOT NULL CHECK (micros >= 0), -- contained in spending of that day
    PRIMARY KEY (day, principal)
);

-- On whose behalf it is set aside; empty for nobody's, and for what a server of the schema before sets aside.
ALTER TABLE reservations ADD COLUMN principal text NOT NULL DEFAULT '';
