-- Vectors of passages, possibly from several models. Each large corpus gets its own index when it is embedded, because an
-- index over all corpora would find vectors of other corpora first.
CREATE TABLE evidence_vectors (
    passage bigint NOT NULL REFERENCES evidence_passages ON DELETE CASCADE,
    model text NOT NULL,
    corpus bigint NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (passage, model)
);
CREATE INDEX evidence_vectors_by_corpus ON evidence_vectors (corpus, model);
