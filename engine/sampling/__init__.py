"""From a row of logits to a token, by noise that is keyed to its place."""
