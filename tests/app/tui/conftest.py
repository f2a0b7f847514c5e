"""The Hub on the loopback, for the tests that download for real."""

from tests.app.models.conftest import hasty, hub

__all__ = ["hasty", "hub"]
