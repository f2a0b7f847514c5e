"""A person's texts by name: prompts, personas, about them; slash commands; what was typed."""
