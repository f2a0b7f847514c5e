"""Which tokens a KV cache holds, and how they leave it again."""
