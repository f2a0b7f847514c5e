"""Messages, pictures among them, to the tokens of a prompt."""
