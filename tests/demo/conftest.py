"""Puts the demo pair's recipe, which is no package, on the import path."""

from __future__ import annotations

import sys
from pathlib import Path

RECIPE = Path(__file__).parents[2] / "packaging" / "demo"
sys.path.insert(0, str(RECIPE))
