"""A chat: its turns, what a prompt holds of them, and how it is kept while it goes on."""
