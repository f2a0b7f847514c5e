"""How far the loading of the pair is; invisible when nothing is being loaded."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label, ProgressBar

from app.terminal.sanitise import one_line
from engine import Loading

STAGES = {
    "target": "Loading the target",
    "draft": "Loading the draft model",
    "probe": "Trying the model out",
    "sight": "Loading the projector",
    "costs": "Measuring this machine",
}


class LoadBar(Horizontal):
    """One line: the stage and a bar."""

    DEFAULT_CSS = """
    LoadBar {
        height: 1;
        padding: 0 1;
        display: none;
        &.-loading { display: block; }
        Label { width: 26; color: $foreground-muted; }
        ProgressBar { width: 1fr; }
        Bar { width: 1fr; max-width: 48; }
    }
    """

    def compose(self) -> ComposeResult:
        """Stage, then bar."""
        yield Label("Starting the engine", markup=False)
        yield ProgressBar(total=None, show_eta=False)

    def loading_at(self, progress: Loading | None) -> None:
        """Show how far it is; None: not known yet."""
        self.add_class("-loading")
        stage = "Starting the engine" if progress is None else progress.stage
        self.query_one(Label).update(STAGES.get(stage, one_line(stage)))
        bar = self.query_one(ProgressBar)
        if progress is None:
            bar.update(total=None)
        else:
            bar.update(total=1.0, progress=progress.fraction)

    def done(self) -> None:
        """Vanish."""
        self.remove_class("-loading")
