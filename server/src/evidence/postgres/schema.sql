-- A corpus without a name has been deleted. Its rows are removed in the background.
CREATE TABLE evidence_corpora (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" UNIQUE,
    created_at bigint NOT NULL,           -- microseconds since 1970-01-01T00:00:00Z
    expires_at bigint,                    -- same unit; null if it never expires
    revision bigint NOT NULL,             -- from evidence_revisions; changes whenever the items change
    embedded_by text,                     -- the model that embedded every passage; null while some lack a vector
    items bigint NOT NULL DEFAULT 0,      -- only complete items count, as in the next three columns
    passages bigint NOT NULL DEFAULT 0,
    words bigint NOT NULL DEFAULT 0,
    size bigint NOT NULL DEFAULT 0        -- of the contents, in bytes
);
CREATE SEQUENCE evidence_revisions;

-- An item in state `receiving` with an old `touched_at` was abandoned by a server that stopped.
CREATE TABLE evidence_items (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    corpus bigint NOT NULL REFERENCES evidence_corpora,
    state text NOT NULL DEFAULT 'receiving' CHECK (state IN ('receiving', 'complete', 'gone')),
    touched_at timestamptz NOT NULL DEFAULT now(),
    batches bigint NOT NULL DEFAULT 0,
    id text NOT NULL,
    digest bytea,                         -- BLAKE3 of the content
    kind text NOT NULL,
    lane text NOT NULL,
    tool text NOT NULL,
    query text NOT NULL,
    is_json boolean NOT NULL,
    collected_at bigint,                  -- microseconds since 1970-01-01T00:00:00Z
    exhaustive boolean NOT NULL,
    attested boolean NOT NULL,
    step_id text NOT NULL,
    specialist_id text NOT NULL,
    verification_result text NOT NULL,    -- empty if unknown
    size bigint NOT NULL DEFAULT 0,
    lines bigint NOT NULL DEFAULT 0,
    repeated_lines bigint NOT NULL DEFAULT 0,
    passages bigint NOT NULL DEFAULT 0,
    words bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX evidence_items_by_id ON evidence_items (corpus, id) WHERE state = 'complete';
CREATE INDEX evidence_items_by_digest ON evidence_items (corpus, digest) WHERE state = 'complete';
CREATE INDEX evidence_items_to_sweep ON evidence_items (touched_at) WHERE state <> 'complete';
CREATE INDEX evidence_items_by_corpus ON evidence_items (corpus);

-- The content of an item in chunks, each with its byte offset. Uncompressed, so that a range can be read separately.
CREATE TABLE evidence_contents (
    item bigint NOT NULL REFERENCES evidence_items ON DELETE CASCADE,
    start bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (item, start)
);
ALTER TABLE evidence_contents ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Each term in `words` is prefixed with its corpus number, so that an index entry belongs to one corpus. A
-- term has one position per occurrence, at most 255. Only the number of positions matters.
CREATE TABLE evidence_passages (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item bigint NOT NULL REFERENCES evidence_items ON DELETE CASCADE,
    start bigint NOT NULL,                -- byte range of the content
    stop bigint NOT NULL,
    first_line bigint NOT NULL,           -- from 1; 0 for JSON
    last_line bigint NOT NULL,
    pointer bytea NOT NULL,               -- UTF-8; empty for text
    length integer NOT NULL,              -- number of terms
    words tsvector NOT NULL
);
CREATE INDEX evidence_passages_by_item ON evidence_passages (item, first_line);
CREATE INDEX evidence_passages_by_words ON evidence_passages USING gin (words) WITH (gin_pending_list_limit = 1024);

-- The approximate number of passages with each common term. There are too many rare terms, mostly ids that
-- occur once, so they are counted in the index instead.
CREATE TABLE evidence_common_terms (
    corpus bigint NOT NULL REFERENCES evidence_corpora,
    term text COLLATE "C" NOT NULL,
    passages bigint NOT NULL,
    PRIMARY KEY (corpus, term)
);

-- The first line of each template. Lines that differ from it only in numbers repeat it.
CREATE TABLE evidence_new_lines (
    item bigint NOT NULL REFERENCES evidence_items ON DELETE CASCADE,
    line bigint NOT NULL,
    PRIMARY KEY (item, line)
);

-- Vectors, keyed by the digest of model and text. The oldest vectors are evicted first.
CREATE TABLE evidence_vector_cache (
    key bytea PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    vector bytea NOT NULL
);
