"""What forwards cost here, and how far rows depend on the batch width: measured, and kept."""
