-- What lists restrict by and counts count.
ALTER TABLE evaluations ADD COLUMN grounded INTEGER; -- claims counted as grounded; NULL where an earlier version recorded it
ALTER TABLE evaluations ADD COLUMN in_shadow INTEGER NOT NULL DEFAULT 0; -- 1: the tier did not govern
ALTER TABLE evaluations ADD COLUMN fell_back INTEGER NOT NULL DEFAULT 0; -- 1: the first judge failed, another one was asked

-- Counts are read off the index alone.
DROP INDEX evaluations_by_time;
CREATE INDEX evaluations_by_time
    ON evaluations (evaluated_at_micros, owner, policy, judge, outcome, tier, in_shadow, fell_back);

-- Reports that could go out without every claim grounded. 1 is gsar.v1.TIER_PROCEED.
CREATE INDEX evaluations_unproven ON evaluations (sequence)
    WHERE (tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow = 1 AND tier <> 1);
