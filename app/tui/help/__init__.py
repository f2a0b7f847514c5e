"""What the help says, and what it says of keys."""
