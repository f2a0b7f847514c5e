"""The proof, on the loaded models and this machine, that drafting does not change the text."""
