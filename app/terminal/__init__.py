"""The terminal: what may be written to it, and what it does for us."""
