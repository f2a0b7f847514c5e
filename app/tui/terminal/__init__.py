"""Textual and the terminal: drivers, painting, titles, and keys that come in pieces."""
