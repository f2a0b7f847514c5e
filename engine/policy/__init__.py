"""How many tokens to draft now, and whose, by what they are worth and what they cost. Pure."""
