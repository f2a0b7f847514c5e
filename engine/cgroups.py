"""The cgroups of this process: where Linux says what a container may use.

Files are read under a root passed in.
"""

from __future__ import annotations

from pathlib import Path


def cgroups(root: Path, controller: str) -> list[Path]:
    """Return the folders of this process's cgroup and its parents, v2's and v1's."""
    mount = root / "sys/fs/cgroup"
    folders = [mount, mount / controller]  # a container sees itself there
    for line in read(root / "proc/self/cgroup").splitlines():
        kinds, _, path = line.partition(":")[2].partition(":")
        names = [name for name in path.split("/") if name]
        if ".." not in names and (not kinds or controller in kinds.split(",")):
            top = mount / controller if kinds else mount
            folders += [top.joinpath(*names[:n]) for n in range(1, len(names) + 1)]
    return folders


def read(path: Path) -> str:
    """Return a file's text, "" if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
