"""The pictures of chats: kept while a message has them, exported and brought in with their chat."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from pathlib import Path

import msgspec
import pytest

from app.errors import HistoryError
from app.files.pictures import LEFT_OVER_S, YOUNG_S, sha256_of
from app.history import Attachment, History, database
from tests.app.files.picture_files import gif, png
from tests.app.history.chats import Clock, Reports, answered, titles

CAT, DOG = png(shade=1), png(shade=2)


def asked(history: History, *contents: bytes, question: str = "What is it?") -> int:
    """Write a chat about these pictures, which are kept."""
    chat = history.new_chat()
    files = [
        Attachment(f"{n}.png", "", len(content), "PNG", 0, sha256_of(content), (2, 3))
        for n, content in enumerate(contents)
    ]
    for content in contents:
        history.album.add(content, "PNG")
        aged(history, content)
    answered(history, chat, history.add(chat, None, "user", question, "", files), "An animal.")
    return chat


def aged(history: History, content: bytes, mtime: float = 0.0) -> None:
    """Have a picture be old."""
    os.utime(history.album.path_of(sha256_of(content), "PNG"), (0, mtime))


def kept(history: History) -> set[str]:
    assert history.flush()
    return {path.name for path in history.album.folder.iterdir()}


def files(*contents: bytes) -> set[str]:
    return {f"{sha256_of(content)}.png" for content in contents}


def test_the_pictures_lie_beside_the_file(path: Path, history: History) -> None:
    asked(history, CAT)
    assert history.album.folder == path.parent / "pictures" and kept(history) == files(CAT)


def test_a_picture_goes_with_the_last_message_that_has_it(history: History) -> None:
    first, second = asked(history, CAT, DOG), asked(history, CAT)
    history.delete(first)
    assert kept(history) == files(CAT, DOG), "it can be brought back"
    history.erase([first])
    assert kept(history) == files(CAT)
    history.delete(second)
    history.undelete(second)
    history.erase([second])
    assert kept(history) == files(CAT), "what is not deleted is not erased"


def test_a_picture_that_a_question_is_about_to_have_is_not_erased_with_another(
    history: History,
) -> None:
    chat = asked(history, CAT)
    history.delete(chat)
    assert history.flush()
    history.album.add(CAT, "PNG")
    aged(history, CAT)
    history.erase([chat])
    assert kept(history) == files(CAT), "it waits for its question"
    again = asked(history, CAT)
    history.delete(again)
    assert history.flush()
    history.erase([again])
    assert kept(history) == set()


def test_a_picture_that_another_window_may_be_about_to_want_is_not_erased(
    path: Path, history: History, clock: Clock
) -> None:
    chat = asked(history, CAT)
    history.delete(chat)
    assert history.flush()
    other = History.open(path, clock=clock)
    other.album.add(CAT, "PNG")
    aged(other, CAT, clock.now - YOUNG_S)
    history.erase([chat])
    assert kept(history) == files(CAT)
    asked(other, CAT)
    assert other.flush() and other.close()
    history.purge()
    assert kept(history) == files(CAT)


def test_what_is_left_over_goes_when_old_chats_do(history: History, clock: Clock) -> None:
    asked(history, CAT)
    for content, age_s in ((DOG, LEFT_OVER_S + 1), (gif(3, 3), 0.0)):
        history.album.add(content, "PNG")
        os.utime(history.album.path_of(sha256_of(content), "PNG"), (0, clock.now - age_s))
    os.utime(history.album.path_of(sha256_of(CAT), "PNG"), (0, 0))
    history.purge()
    assert kept(history) == files(CAT, gif(3, 3))


def test_pictures_of_chats_that_cannot_be_read_are_not_left_over(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = History.open(path, clock=clock)
    asked(first, CAT)
    assert first.close()
    os.utime(first.album.path_of(sha256_of(CAT), "PNG"), (0, 0))
    monkeypatch.setattr(database.schema, "VERSION", 1)
    newer = History.open(path, clock=clock)
    assert "newer Slipstream" in newer.notice
    newer.purge()
    assert kept(newer) == files(CAT) and newer.close()
    monkeypatch.undo()
    path.write_bytes(b"no database at all, but long enough to be one" * 100)
    damaged = History.open(path, clock=clock)
    assert "damaged" in damaged.notice or "another program" in damaged.notice
    damaged.purge()
    assert kept(damaged) == files(CAT) and damaged.close()
    after = History.open(path, clock=clock)
    assert after.notice == ""
    after.purge()
    assert kept(after) == files(CAT), "the file that was put aside may be mended"
    for aside in path.parent.glob("*damaged-*"):
        aside.unlink()
    after.purge()
    assert kept(after) == set() and after.close()


def test_what_is_erased_where_the_chats_cannot_be_read_takes_no_picture_of_theirs(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = History.open(path, clock=clock)
    chat = asked(first, CAT)
    assert first.close()
    monkeypatch.setattr(database.schema, "VERSION", 1)
    newer = History.open(path, clock=clock)
    assert "newer Slipstream" in newer.notice
    chat = asked(newer, CAT)
    newer.delete(chat)
    assert newer.flush()
    newer.erase([chat])
    assert kept(newer) == files(CAT) and newer.close()


def test_a_folder_that_cannot_be_swept_keeps_no_chat_from_being_written(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = Reports()
    history = History.open(path, reports, clock)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("app.files.pictures.Album.sweep", refuse)
    monkeypatch.setattr("app.files.pictures.Album.remove", refuse)
    chat = asked(history, CAT, question="first")
    history.purge()
    history.delete(chat)
    assert history.flush()
    history.erase([chat])
    asked(history, DOG, question="second")
    assert titles(history) == ["second"] and reports.lines == [] and history.close()


def test_a_chat_goes_to_another_machine_with_its_pictures(
    history: History, tmp_path: Path, clock: Clock
) -> None:
    chats = [asked(history, CAT, DOG), asked(history, CAT)]
    assert history.flush()
    history.album.remove({sha256_of(DOG)}, clock.now)
    raw = history.export_json(chats)
    shared = json.loads(raw)["pictures"]
    assert shared == {sha256_of(CAT): b64encode(CAT).decode()}, "once, and not what is gone"
    elsewhere = History.open(tmp_path / "elsewhere" / "history.db", clock=clock)
    copies = elsewhere.import_json(raw).chats
    assert kept(elsewhere) == files(CAT)
    for chat, copy in zip(chats, copies, strict=True):
        before, after = history.chat(chat), elsewhere.chat(copy)
        assert before.messages[0].attachments == after.messages[0].attachments
    aged(elsewhere, CAT)
    elsewhere.delete(copies[0])
    assert elsewhere.flush()
    elsewhere.erase(copies[:1])
    assert kept(elsewhere) == files(CAT)
    elsewhere.delete(copies[1])
    assert elsewhere.flush()
    elsewhere.erase(copies[1:])
    assert kept(elsewhere) == set() and elsewhere.close()


def test_the_pictures_of_a_file_are_decoded_once(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = asked(history, CAT, DOG)
    assert history.flush()
    raw, made = history.export_json([chat]), 0
    history.delete(chat)
    convert = msgspec.convert

    def counting(found: object, type: object, str_keys: bool) -> object:
        nonlocal made
        made += 1
        return convert(found, type, str_keys=str_keys)

    monkeypatch.setattr(msgspec, "convert", counting)
    copy = history.import_json(raw).chats[0]
    assert made == 1 and history.flush()
    assert history.export_json([copy]) == raw


@pytest.mark.parametrize(
    ("id", "content"),
    [
        (sha256_of(CAT), DOG),
        (sha256_of(b"text"), b"text"),
        (sha256_of(CAT[:20]), CAT[:20]),
        ("../../evil", CAT),
    ],
)
def test_what_is_not_the_picture_that_it_says_is_left_out(
    history: History, id: str, content: bytes
) -> None:
    shared = {key: b64encode(it).decode() for key, it in {id: content, sha256_of(DOG): DOG}.items()}
    file = {"format": "slipstream-chats", "version": 1, "chats": [], "pictures": shared}
    file["chats"] = [{"title": "t", "messages": [{"role": "user", "content": "?"}]}]
    assert history.import_json(json.dumps(file).encode()).n_left_out == 1
    assert titles(history) == ["t"] and kept(history) == files(DOG)


@pytest.mark.parametrize("damaged", ["no base64!", "QQ", "\u00e4", None, 7, ["QQ=="], {}])
def test_one_picture_that_is_no_base64_does_not_refuse_the_whole_file(
    history: History, damaged: object
) -> None:
    shared = {sha256_of(CAT): damaged, sha256_of(DOG): b64encode(DOG).decode()}
    chat = {"title": "t", "messages": [{"role": "user", "content": "?"}]}
    file = {"format": "slipstream-chats", "version": 1, "chats": [chat], "pictures": shared}
    assert history.import_json(json.dumps(file).encode()).n_left_out == 1
    assert titles(history) == ["t"] and kept(history) == files(DOG)


@pytest.mark.parametrize("damage", [CAT[:-9], b"", DOG])
def test_a_picture_that_is_damaged_here_is_kept_anew_when_it_comes_again(
    history: History, tmp_path: Path, damage: bytes
) -> None:
    path, source = history.album.path_of(sha256_of(CAT), "PNG"), tmp_path / "cat.png"
    source.write_bytes(CAT)
    for keep_again in (
        lambda: history.album.add(CAT, "PNG"),
        lambda: history.album.keep(source, sha256_of(CAT), "PNG"),
    ):
        asked(history, CAT)
        path.write_bytes(damage)
        keep_again()
        assert path.read_bytes() == CAT


def test_a_picture_that_is_damaged_here_is_not_exported(history: History) -> None:
    chat = asked(history, CAT, DOG)
    assert history.flush()
    history.album.path_of(sha256_of(CAT), "PNG").write_bytes(CAT[:-9])
    assert list(json.loads(history.export_json([chat]))["pictures"]) == [sha256_of(DOG)]


@pytest.mark.parametrize("id", ["../../etc/passwd", "0" * 63, "G" * 64, "0" * 64 + "\n"])
def test_no_name_leads_out_of_the_folder(history: History, id: str) -> None:
    message = {"role": "user", "content": "?", "attachments": [{"name": "x", "text": ""}]}
    message["attachments"][0]["picture"] = id  # type: ignore[index]
    chats = [{"title": "t", "messages": [message]}]
    file = {"format": "slipstream-chats", "version": 1, "chats": chats}
    with pytest.raises(HistoryError, match="Nothing was imported"):
        history.import_json(json.dumps(file).encode())


def test_markdown_shows_a_picture_by_a_link_to_where_it_is_kept(history: History) -> None:
    chat = asked(history, CAT)
    assert history.flush()
    uri = history.album.path_of(sha256_of(CAT), "PNG").as_uri()
    assert f"## You\n\n![0.png](<{uri}>)\n\nWhat is it?" in history.export_markdown(chat)


def test_a_picture_is_found_by_its_name(history: History) -> None:
    chat = asked(history, CAT, question='Who is on @"my holidays/red fox.png" ?')
    assert history.flush()
    for words in ("red fox", "holidays", "fox.png"):
        assert [hit.chat.id for hit in history.search(words)] == [chat]
