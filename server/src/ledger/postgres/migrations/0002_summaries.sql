-- What lists restrict by and counts count.
ALTER TABLE evaluations ADD COLUMN grounded bigint; -- claims counted as grounded; NULL where an earlier version recorded it
ALTER TABLE evaluations ADD COLUMN in_shadow boolean NOT NULL DEFAULT false; -- the tier did not govern
ALTER TABLE evaluations ADD COLUMN fell_back boolean NOT NULL DEFAULT false; -- the first judge failed, another one was asked

-- Counts are read off the index alone.
CREATE INDEX evaluations_by_time
    ON evaluations (evaluated_at_micros, owner, policy, judge, outcome, tier, in_shadow, fell_back);

-- Reports that could go out without every claim grounded. 1 is gsar.v1.TIER_PROCEED.
CREATE INDEX evaluations_unproven ON evaluations (sequence)
    WHERE (tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow AND tier <> 1);
