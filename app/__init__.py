"""Slipstream: everything a person touches, over the engine."""
