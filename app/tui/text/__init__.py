"""The text of answers: cut into blocks, coloured by origin, selected, copied."""
