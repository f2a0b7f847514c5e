"""What forwards cost on this machine, and how that is measured and kept."""
