"""Files to models that are known to work together, and to roll back."""
