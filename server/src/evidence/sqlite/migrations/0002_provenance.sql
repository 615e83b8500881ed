ALTER TABLE items ADD COLUMN attested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN step_id TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN specialist_id TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN verification_result TEXT NOT NULL DEFAULT ''; -- empty where it is not known
