"""Around the prompt: its hints, the files that go along, how long a question is, and Ctrl+C."""
