"""Work beside the screen, and what only the newest counts of."""
