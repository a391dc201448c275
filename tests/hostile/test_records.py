"""Attacks on what is kept of a game, and on who keeps it."""

from __future__ import annotations

from matches.referee.play import NOTES_BYTES
from matches.replay import decode_private, encode, encode_private
from tests.hostile.duels import Duels, hostile
from tests.matches.referee.tabling import Table, seat_of

STDERR_CHARACTERS = 64 * 1024 + 100


def test_odd_characters_are_kept_as_text_that_any_store_can_hold(duels: Duels, undisturbed):
    for side in duels.play("zeros"):
        assert side.fault is None
        assert side.game.core.decisions == undisturbed[0, side.game.seating]
        assert side.private.stderr.startswith(r"\x00\xff\xfe")
        assert "\0" not in side.private.stderr
        notes = [note.text for note in side.private.notes]
        assert "<script>alert(1)</script>" in notes
        assert all("\0" not in note for note in notes)
        assert decode_private(encode_private(side.game.private)) == side.game.private


def test_long_but_legal_lines_are_read_and_their_notes_cut(duels: Duels, undisturbed):
    for side in duels.play("long_lines"):
        assert side.fault is None
        assert side.game.core.decisions == undisturbed[0, side.game.seating]
        assert {len(note.text) for note in side.private.notes[:-1]} == {200}
        assert sum(len(note.text.encode()) for note in side.private.notes) <= NOTES_BYTES


def test_what_comes_byte_by_byte_is_taken_like_anything_else(duels: Duels, undisturbed):
    for side in duels.play("slow_drip"):
        assert side.fault is None
        assert side.game.core.decisions == undisturbed[0, side.game.seating]
        assert side.private.stderr == "." * 16 * 1024


def test_a_game_can_be_filled_to_its_caps_and_no_further(launcher):
    table = Table(launcher)
    filling = hostile("filled_record")
    record = table.play(filling, filling)
    assert not any(process.alive for process in table.processes)
    for game in record.games:
        assert game.faults == ()
        # Nobody ever closes: the round is cut after a hundred turns of each.
        assert (game.rounds[-1].number, game.rounds[-1].closer) == (1, None)
        assert game.n_decisions == 2 * (1 + 100)
        for seat in (seat_of(game, 0), seat_of(game, 1)):
            private = game.private[seat]
            assert len(private.stderr) <= STDERR_CHARACTERS
            assert "bytes left out" in private.stderr
            assert sum(len(note.text.encode()) for note in private.notes) <= NOTES_BYTES
        assert len(encode(game.core, game.timing)) < 10_000
        assert len(encode_private(game.private)) < 4 * STDERR_CHARACTERS
