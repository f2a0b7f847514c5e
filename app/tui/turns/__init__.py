"""What is done in one chat: asking, editing, making room, and what is said of it."""
