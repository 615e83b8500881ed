CREATE TABLE corpus (
    created_at INTEGER NOT NULL, -- microseconds since 1970-01-01T00:00:00Z
    expires_at INTEGER,          -- same unit; null if it never expires
    flushes INTEGER NOT NULL DEFAULT 0,
    embedded_by TEXT             -- the model that embedded every passage; null while some lack a vector
) STRICT;

-- Incomplete items are being received, or were abandoned when the server stopped.
CREATE TABLE items (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    digest BLOB,                 -- BLAKE3 of the content
    kind TEXT NOT NULL,
    lane TEXT NOT NULL,
    tool TEXT NOT NULL,
    query TEXT NOT NULL,
    is_json INTEGER NOT NULL,
    collected_at INTEGER,        -- microseconds since 1970-01-01T00:00:00Z
    exhaustive INTEGER NOT NULL,
    attested INTEGER NOT NULL,
    step_id TEXT NOT NULL,
    specialist_id TEXT NOT NULL,
    verification_result TEXT NOT NULL, -- empty if unknown
    size INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    repeated_lines INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0,
    is_complete INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX items_by_id ON items (id) WHERE is_complete = 1;
CREATE INDEX items_by_digest ON items (digest) WHERE is_complete = 1;

-- The content of an item in chunks, each with its byte offset.
CREATE TABLE contents (
    item INTEGER NOT NULL,
    start INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (item, start)
) STRICT, WITHOUT ROWID;

-- Vectors refer to passages by number, so numbers are never reused.
CREATE TABLE passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL,
    start INTEGER NOT NULL,      -- byte range of the content
    end INTEGER NOT NULL,
    first_line INTEGER NOT NULL, -- from 1; 0 for JSON
    last_line INTEGER NOT NULL,
    pointer TEXT NOT NULL        -- empty for text
) STRICT;
CREATE INDEX passages_by_item ON passages (item);

-- Groups of lines that differ only in numbers.
CREATE TABLE templates (
    item INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    count INTEGER NOT NULL,
    sample TEXT NOT NULL
) STRICT;
CREATE INDEX templates_by_line ON templates (item, first_line);

-- The terms of each passage, by its number. The text is in `contents`.
CREATE VIRTUAL TABLE terms USING fts5(
    words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '._-:/@%+'"
);
