"""Files that go with a question: found, named, read, and shown to a model."""
