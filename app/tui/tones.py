"""How strongly words and lines are shown, as variables of the theme."""

DIM = "$foreground-muted"
FAINT = "$foreground 20%"
