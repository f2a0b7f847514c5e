"""Models: the catalogue, what is installed, what fits, and how files get here."""
