// EmbeddingFiles
