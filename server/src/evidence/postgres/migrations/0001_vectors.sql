-- Vectors of passages, those of several models beside each other. A large corpus has an index of its own, made when it is
-- embedded: one over all corpora would find those of others first.
CREATE TABLE evidence_vectors (
    passage bigint NOT NULL REFERENCES evidence_passages ON DELETE CASCADE,
    model text NOT NULL,
    corpus bigint NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (passage, model)
);
CREATE INDEX evidence_vectors_by_corpus ON evidence_vectors (corpus, model);
