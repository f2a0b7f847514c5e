"""What is foreseen of a text that copies an earlier part of itself with edits."""

from __future__ import annotations

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from engine.drafting.copying import MOST, WINDOW, Copying, Edits, Follower

NAME, OTHER, SEMICOLON = 1, 2, 3
BEFORE, BEHIND = 8, 9


def copying(source: list[int], said: list[int]) -> Copying:
    """Return what came of following `source` from its beginning while this was said."""
    text = Copying()
    text.read([BEFORE, *source, BEHIND])
    text.begin(1, 1)
    text.extend(said)
    return text


def to_the_end(follower: Follower) -> tuple[int, ...]:
    """Return what is foreseen of the source's rest."""
    return tuple(takewhile(lambda token: token != BEHIND, follower.foresee(50)[0]))


def foreseen(source: list[int], said: list[int]) -> tuple[int, ...]:
    return to_the_end(copying(source, said).follower())


def test_a_name_that_was_replaced_is_replaced_again() -> None:
    source = [10, 11, NAME, 12, 13, 14, NAME, 15, 16]
    assert foreseen(source, [10, 11, OTHER, 12, 13]) == (14, OTHER, 15, 16)


def test_the_next_edit_is_foreseen_where_nothing_of_it_was_said_yet() -> None:
    source = [10, 11, NAME, 12, 13, NAME, 15, 16]
    assert foreseen(source, [10, 11, OTHER, 12, 13])[0] == OTHER


def test_what_was_put_in_once_is_put_in_before_the_same_token() -> None:
    source = [10, SEMICOLON, 11, 12, 13, SEMICOLON, 14, 15]
    said = [10, 90, 91, SEMICOLON, 11, 12]
    assert foreseen(source, said) == (13, 90, 91, SEMICOLON, 14, 15)


def test_what_was_left_out_once_is_left_out_again() -> None:
    source = [10, 80, 81, 11, 12, 13, 80, 81, 14, 15]
    assert foreseen(source, [10, 11, 12]) == (13, 14, 15)
    repeated = [10, 80, 10, 11, 12, 80, 10, 13]
    assert foreseen(repeated, [10, 11, 12]) == (13,)


def test_an_edit_that_has_begun_is_gone_on_with() -> None:
    source = [10, NAME, 11, 12, 13, NAME, 14, 15]
    said = [10, 90, 91, 92, 11, 12, 13, 90]
    assert foreseen(source, said) == (91, 92, 14, 15)


def test_the_copy_goes_on_behind_an_edit_without_a_token_of_it_said() -> None:
    source = [10, NAME, 11, 12, 13, NAME, 14, 15]
    said = [10, 90, 91, 11, 12, 13, 90, 91]
    assert foreseen(source, said) == (14, 15)


def test_an_edit_that_is_not_made_any_more_is_not_foreseen_any_more() -> None:
    source = [10, NAME, 11, 12, NAME, 13, NAME, 14, NAME, 15]
    assert foreseen(source, [10, OTHER, 11, 12])[0] == OTHER
    assert foreseen(source, [10, OTHER, 11, 12, NAME, 13, NAME, 14])[0] == NAME


def test_the_surer_an_edit_the_oftener_it_was_made() -> None:
    source = [10, NAME, 11, 12, NAME, 13, 14, NAME, 15]
    once = copying(source, [10, OTHER, 11, 12]).follower().foresee(1)
    twice = copying(source, [10, OTHER, 11, 12, OTHER, 13, 14]).follower().foresee(1)
    assert once[0] == twice[0] == (OTHER,)
    assert 0.5 < once[1][0] < twice[1][0] < 1.0


def test_an_edit_that_is_made_every_time_gets_surer() -> None:
    source = [10, SEMICOLON, 11, 12, SEMICOLON, 13, 14, SEMICOLON, 15]
    once = copying(source, [10, 90, SEMICOLON, 11, 12])
    twice = copying(source, [10, 90, SEMICOLON, 11, 12, 90, SEMICOLON, 13, 14])
    assert once.follower().foresee(1)[1] < twice.follower().foresee(1)[1]


def test_what_was_just_put_in_is_not_put_in_again() -> None:
    source = [10, SEMICOLON, 11, 12, 13, SEMICOLON, 14]
    assert foreseen(source, [10, 90, SEMICOLON, 11, 12, 13, 90]) == (SEMICOLON, 14)


def test_the_latest_places_say_most_of_an_edit() -> None:
    source = [token for n in range(20) for token in (20 + n, NAME, 40 + n)]
    said = [token for n in range(10) for token in (20 + n, OTHER, 40 + n)]
    unedited = [token for n in range(10, 18) for token in (20 + n, NAME, 40 + n)]
    assert foreseen(source, [*said, 30])[0] == OTHER
    assert foreseen(source, [*said, *unedited, 38])[0] == NAME


def test_of_two_edits_of_a_token_the_one_that_was_made_last_wins() -> None:
    source = [10, NAME, 11, 12, NAME, 13, 14, NAME, 15, 16, NAME, 17]
    said = [10, 90, 11, 12, 91, 13, 14, 91, 15, 16]
    assert foreseen(source, said)[0] == 91


def test_nothing_is_foreseen_of_a_source_that_was_not_edited() -> None:
    assert foreseen([10, 11, 12, 13], [10, 11]) == ()


def test_nothing_is_foreseen_where_the_source_was_left_for_something_new() -> None:
    source = [10, NAME, 11, 12, 13, 14]
    assert foreseen(source, [10, OTHER, 11, 12, 99]) == ()


def test_a_text_that_says_too_much_of_its_own_has_left_its_source() -> None:
    source = [10, 11, 12, 13]
    own = list(range(100, 100 + MOST + 3))
    assert not copying(source, [10, *own[:-1]]).is_lost
    assert copying(source, [10, *own]).is_lost


def test_the_source_is_taken_up_again_only_near_the_place_where_it_was_left() -> None:
    gap = list(range(100, 100 + WINDOW))
    far = [10, NAME, *gap, 11, 12, 13]
    assert foreseen(far, [10, OTHER, 11, 12]) == ()
    assert foreseen([10, NAME, *gap[:4], 11, 12, 13], [10, OTHER, 11, 12]) == (13,)


def test_a_follower_that_goes_on_alone_leaves_the_text_as_it_was() -> None:
    text = copying([10, NAME, 11, 12, 13, NAME, 14, 15], [10, OTHER, 11, 12])
    ahead, before = text.follower(), text.follower().foresee(6)
    for token in (13, 99, 98):
        ahead.feed(token)
    assert ahead.foresee(6) != before
    assert text.follower().foresee(6) == before


def test_a_draft_in_parts_is_the_draft_at_once() -> None:
    source = [10, NAME, 11, 12, 13, SEMICOLON, 14, NAME, 15, 16, SEMICOLON, 17, 18]
    text = copying(source, [10, 90, 91, 11, 12, 13, 93, 94, SEMICOLON, 14])
    at_once = to_the_end(text.follower())
    assert at_once == (90, 91, 15, 16, 93, 94, SEMICOLON, 17, 18)
    for n in range(1, len(at_once)):
        ahead = text.follower()
        for token in at_once[:n]:
            ahead.feed(token)
        assert to_the_end(ahead) == at_once[n:]


def test_what_was_left_out_twice_is_left_out_again() -> None:
    source = [10, 80, 11, 12, 13, 80, 14, 15, 80, 16]
    assert foreseen(source, [10, 11, 12, 13, 14]) == (15, 16)


def test_an_edit_is_foreseen_only_where_all_that_it_takes_away_comes() -> None:
    source = [10, NAME, 80, 11, 12, 13, NAME, 14, NAME, 80, 15]
    said = [10, 90, 11, 12, 13]
    assert foreseen(source, said) == (NAME, 14, 90, 15)


def test_of_two_edits_that_begin_alike_the_longer_one_is_gone_on_with() -> None:
    source = [10, NAME, 11, 12, NAME, 13, 14, NAME, 15, 16, NAME, 17, 18, NAME, 19]
    said = [10, 90, 91, 11, 12, 90, 13, 14, 90, 91, 15, 16, 90, 91, 17, 18]
    assert foreseen(source, said) == (90, 91, 19)


def test_edits_that_were_made_once_do_not_crowd_out_a_sure_one() -> None:
    source = [token for n in range(12) for token in (20 + n, NAME, 40 + n)]
    said = [token for n in range(4) for token in (20 + n, OTHER, 40 + n)]
    said += [token for n in range(4, 10) for token in (20 + n, 60 + n, 40 + n)]
    text = copying(source, [*said, 30])
    text.extend([OTHER, 50])
    ahead = text.follower()
    for token in (31, OTHER):
        ahead.feed(token)
    assert to_the_end(ahead) == (51,)


def test_an_edit_that_takes_too_much_away_is_none() -> None:
    gap = list(range(100, 101 + MOST))
    source = [10, *gap, 11, 12, 13, *gap, 14, 15]
    assert foreseen(source, [10, 11, 12])[:2] == (13, gap[0])


def test_a_place_where_an_edit_might_be_is_less_sure_of_its_source() -> None:
    source = [10, NAME, 11, 12, NAME, 13, NAME, 14, NAME, 15]
    said = [10, OTHER, 11, 12, NAME, 13, NAME, 14]
    name, behind = copying(source, said).follower().foresee(2)[1]
    assert name < 0.9 * behind


def test_the_source_is_not_looked_for_in_what_was_said_since_it_was_left() -> None:
    text = copying([10, NAME, 11, 12], [10, 90, 91, 90, 91])
    assert text.follower().foresee(4) == ((), ())


def test_a_token_alone_behind_a_known_edit_does_not_leave_the_source() -> None:
    source = [10, NAME, 11, 12, 13, NAME, 14, 15, 20, NAME, 77, 16, 17]
    said = [10, 90, 11, 12, 13, 90, 77, 14, 15]
    assert foreseen(source, said)[:2] == (20, 90)


def test_a_source_that_is_begun_anew_may_be_edited_where_the_last_copy_had_just_been() -> None:
    edited = [10, 20, 11, 12, 90, SEMICOLON, 13]
    text = copying([10, 20, 11, 12, SEMICOLON, 13, 14], edited)
    for said in (edited, [10, 77, 11, 12]):
        text.read([7])
        text.begin(1, 1)
        text.extend(said)
    assert to_the_end(text.follower()) == (90, SEMICOLON, 13, 14)


@given(
    st.lists(st.integers(0, 4), max_size=40),
    st.lists(st.integers(0, 4), max_size=40),
    st.lists(st.integers(0, 4), max_size=12),
)
def test_any_text_can_be_followed(source: list[int], said: list[int], ahead: list[int]) -> None:
    text = copying(source, said)
    before = text.follower().foresee(9)
    follower = text.follower()
    for token in ahead:
        follower.feed(token)
        tokens, confidences = follower.foresee(9)
        assert len(tokens) == len(confidences) <= 9
        assert set(tokens) <= {*source, *said, BEHIND}
        assert all(0.0 <= confidence < 1.0 for confidence in confidences)
    assert text.follower().foresee(9) == before


def test_a_follower_goes_through_the_states_of_its_example() -> None:
    source = [*map(ord, "fnopqnrs")]
    edits = Edits(source)
    follower = Follower(source, edits)
    follower.begin(1, 1)
    n_for_m, nothing = ([ord("n")], [ord("M")]), ([], [])
    found = []
    for token in map(ord, "MopqMrs"):
        place = follower.place
        learnt = follower.feed(token)
        if place is not None and learnt is not None:
            edits.made(place, *learnt)
        found.append((follower.place, len(follower.said), learnt))
        if token == ord("p"):
            assert "".join(map(chr, follower.foresee(4)[0])) == "qMrs"
    assert found == [
        (1, 1, None),
        (1, 2, None),
        (4, 0, n_for_m),
        (5, 0, nothing),
        (6, 0, n_for_m),
        (7, 0, None),
        (8, 0, nothing),
    ]
