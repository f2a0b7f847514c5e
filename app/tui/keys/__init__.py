"""Keys: which do what, how people name them, and what the help says of them."""
