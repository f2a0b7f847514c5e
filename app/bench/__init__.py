"""The benchmark: which prompts it asks, how it measures the answers, what it prints."""
