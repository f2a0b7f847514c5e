"""What is typed: prompts, personas and commands by name, and what was typed before."""
