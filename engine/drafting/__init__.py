"""What drafters are made of."""
