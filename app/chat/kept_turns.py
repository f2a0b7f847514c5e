"""The messages of a kept chat as turns of a conversation, and what of a turn is kept."""

from __future__ import annotations

from app import history
from app.chat.conversation import Turn, TurnReason
from app.files.attachments import Attachment
from app.files.pictures import Album
from app.history import Chat, Figures, StoredMessage
from engine import PLAIN, Picture, Span

GONE: TurnReason = "cancelled"
"""Why an answer ended whose app did before it."""


def figures_of(turn: Turn) -> Figures:
    """Return what is kept of how an answer came."""
    return Figures(turn.stats, turn.seed, turn.context_used, turn.left_out, turn.sampling)


def turns_of(chat: Chat, album: Album) -> list[tuple[int, Turn]]:
    """Return the answers of a chat by their ids, each with its question."""
    by_id = {message.id: message for message in chat.messages}
    found = []
    for message in chat.messages:
        question = by_id.get(message.parent) if message.parent is not None else None
        if message.role == "assistant" and question is not None:
            found.append((message.id, _turn(question, message, album)))
    return found


def unanswered(question: StoredMessage, album: Album) -> Turn:
    """Return the turn of a question that was never answered."""
    attachments = tuple(_attachment(kept, album) for kept in question.attachments)
    turn = Turn(question.content, reason=GONE, attachments=attachments, question_id=question.id)
    turn.summary = question.summary
    return turn


def to_keep(it: Attachment) -> history.Attachment:
    """Return what is kept of an attachment."""
    id = it.picture.id if it.picture is not None else ""
    return history.Attachment(
        it.name, it.text, it.size_bytes, it.encoding, it.of_lines, id, it.pixels
    )


def _attachment(kept: history.Attachment, album: Album) -> Attachment:
    size_bytes, picture = kept.size_bytes, None
    if size_bytes is None:
        size_bytes = len(kept.text.encode("utf-8", "replace"))
    if kept.picture:
        path = album.path_of(kept.picture, kept.encoding)
        picture = Picture(path=str(path), id=kept.picture)
    return Attachment(
        kept.name, kept.text, size_bytes, kept.encoding, kept.of_lines, picture, kept.pixels
    )


def _whole(answer: StoredMessage) -> list[Span]:
    """Return the spans of all its text: of an answer from elsewhere nobody knows who proposed."""
    spans = answer.spans()
    rest = answer.content[sum(len(span.text) for span in spans) :]
    return [*spans, Span(rest, PLAIN)] if rest else spans


def _turn(question: StoredMessage, answer: StoredMessage, album: Album) -> Turn:
    figures = answer.figures
    return Turn(
        question.content,
        answer=answer.content,
        attachments=tuple(_attachment(kept, album) for kept in question.attachments),
        reason=answer.reason or GONE,  # type: ignore[arg-type]
        stats=figures.stats,
        spans=_whole(answer),
        context_used=figures.context_used,
        seed=figures.seed,
        error=answer.error,
        left_out=figures.left_out,
        sampling=figures.sampling,
        pair=answer.pair,
        question_id=question.id,
        answer_id=answer.id,
        summary=answer.summary,
        skipped=answer.skipped,
    )
