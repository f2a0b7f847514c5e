"""How many threads compute.

Decided in the app's process: once OpenMP is loaded with bound threads, a process sees one core.
Linux files are read under a root passed in.
"""

from __future__ import annotations

from pathlib import Path

from engine.system.cgroups import quotas
from engine.system.cores import count_cores


def default_threads(root: Path = Path("/")) -> int:
    """Return the fast cores that this process may use: more threads do not decode faster.

    Of a container's quota whole cores: where it is spent, all threads stand still, and before that
    each waits for the slowest at every barrier.
    """
    return max(1, min([count_cores(root).fast, *quotas(root)]))
