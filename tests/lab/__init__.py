"""Measures. Needs what packaging/test sets up, and says so where that is missing."""

import sys
from importlib.util import find_spec

if find_spec("gguf") is None:
    sys.exit(
        "The lab needs more than packaging/run sets up: packaging/test --collect-only -q, once."
    )
