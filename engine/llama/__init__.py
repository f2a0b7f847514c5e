"""The only package that imports llama_cpp: models, contexts and their log, behind plain Python."""
