"""Checks of what lies on the disk: room, folders, settings."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from app.doctor.facts import FOLDERS_FIRST, Check, Checker, Facts, Status
from app.errors import AppError
from app.hardware import GIB, disk_at
from app.paths import HOMES, MODELS_DIR, Paths, in_the_way, in_the_way_of_models, nearest
from app.prompts.personas import load
from app.settings.config import settings_from
from app.sizes import size

LOW_DISK_BYTES = 4 * GIB
VARIABLES = ", ".join(name for name in HOMES if name != "HOME")


def check_disk(facts: Facts) -> Check:
    """Warn when there is no room for a model."""
    disk = disk_at(facts.paths.models_dir)
    found = f"{size(disk.free_bytes)} free for models in {disk.path}"
    if disk.free_bytes < LOW_DISK_BYTES:
        return Check("disk", "warn", found, f"Free at least {size(LOW_DISK_BYTES)} there.")
    return Check("disk", "ok", found)


def check_folders(facts: Facts) -> Check:
    """See that our folders can be written, and read by their owner alone."""
    paths = facts.paths
    for folder in paths.folders:
        if obstacle := in_the_way(folder):
            return Check("folders", "fail", obstacle.found, obstacle.mend)
        there = nearest(folder)
        if _is_on_read_only(there):
            found = f"{there} is on a read-only file system"
            return Check("folders", "fail", found, f"Set {VARIABLES} to folders elsewhere.")
        if not os.access(there, os.W_OK | os.X_OK):
            mend = f'sudo mkdir -p "{folder}" && sudo chown -R "$USER" "{folder}"'
            return Check("folders", "fail", f"{there} cannot be written", mend)
        if os.path.exists(folder) and folder.stat().st_mode & 0o077:
            found = f"{folder} is open to other users"
            return Check("folders", "warn", found, f'chmod 700 "{folder}"')
    if wrong := _models_folder(facts):
        return wrong
    kept = {
        "data": paths.data_dir,
        "settings": paths.config_dir,
        "cache": paths.cache_dir,
        "benchmarks": paths.bench_dir,
        "log": paths.log_dir,
    }
    return Check("folders", "ok", ", ".join(f"{name} {folder}" for name, folder in kept.items()))


def _models_folder(facts: Facts) -> Check | None:
    """Return what is wrong with the folder of models: where it can be read, those there are can be
    used, though none can be added.
    """
    folder = facts.paths.models_dir
    if obstacle := in_the_way_of_models(folder, facts.env):
        return Check("folders", "fail", obstacle.found, obstacle.mend)
    there = nearest(folder)
    status: Status = "warn" if os.path.isdir(folder) else "fail"
    mend = f"Make that folder writable, or set {MODELS_DIR} to another one."
    if _is_on_read_only(there):
        return Check("folders", status, f"{there} is on a read-only file system", mend)
    if not os.access(there, os.W_OK | os.X_OK):
        return Check("folders", status, f"{there} cannot be written", mend)
    return None


def _is_on_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def check_settings(facts: Facts) -> Check:
    """See that environment, settings file and catalogue make sense together, and the personas."""
    file = facts.paths.settings_file
    try:
        settings_from(argparse.Namespace())
        load(facts.paths.personas_file)
        wrong = _wrong_keys(file)
    except (AppError, OSError) as error:
        return Check("settings", "fail", str(error), _mend(str(error), facts.paths))
    if wrong:
        others = f" And {len(wrong) - 1} more." if len(wrong) > 1 else ""
        return Check("settings", "warn", wrong[0] + others, f'Mend [keys] in "{file}".')
    return Check("settings", "ok", str(file) if file.exists() else f"defaults (no {file})")


def _wrong_keys(file: Path) -> tuple[str, ...]:
    """Return what is wrong in the file's table of keys, a line each."""
    from app.tui.keys.key_table import of_file  # the screens, which the doctor has no use for else

    return of_file(file).wrong


def _mend(fault: str, paths: Paths) -> str:
    """Return what to mend: the command that a fault names, else by where it says that it stands."""
    if pull := re.search(r"`(slipstream pull [^`]+)`", fault):
        return pull[1]
    if variable := re.match(r"SLIPSTREAM_\w+", fault):
        return f"Correct {variable[0]}, or unset it."
    if in_the_way(paths.config_dir):
        return FOLDERS_FIRST
    files = (paths.own_catalog, paths.personas_file, paths.settings_file)
    if file := next((path for path in files if path.name in fault), None):
        return f'Mend or remove "{file}".'
    return f'Mend or remove "{paths.settings_file}" and the SLIPSTREAM_ variables.'


CHECKS: tuple[Checker, ...] = (check_disk, check_folders, check_settings)
