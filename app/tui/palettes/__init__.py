"""Lists in which something is found by typing: commands, prompts, what may follow a command."""
