"""How long a test waits for what takes a moment: on a machine that is busy, a moment is long."""

PATIENCE_S = 300.0
