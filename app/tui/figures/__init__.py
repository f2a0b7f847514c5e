"""Figures of an answer as a person reads them, live and afterwards."""
