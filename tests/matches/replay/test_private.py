"""The part that is the owner's alone."""

import pytest

from matches.replay import Exchange, Note, PrivateSeat, ReplayError, decode_private, encode, encode_private

from .games import play

SEATS = (
    PrivateSeat(
        notes=(Note(0, "first"), Note(17, "<b>é</b>")),
        stderr="Traceback…\n",
        offending="\\x00nonsense",
        exchanges=(Exchange('{"type":"act"}', "nonsense"), Exchange('{"type":"act"}', None)),
    ),
    PrivateSeat(),
)


def test_it_comes_back_as_it_was_stored():
    assert decode_private(encode_private(SEATS)) == SEATS


def test_what_cannot_be_decoded_as_text_comes_back_too():
    seats = (PrivateSeat(stderr="\udc80 undecodable"),)
    assert decode_private(encode_private(seats)) == seats


@pytest.mark.parametrize("data", [b"", b"{}", b'{"seats":[1]}', b'{"seats":[{"notes":[[1]]}]}', b"\x1f\x8b"])
def test_anything_else_is_refused(data):
    with pytest.raises(ReplayError):
        decode_private(data)


def test_a_replay_is_no_private_part():
    recorder = play()
    with pytest.raises(ReplayError, match="no private part"):
        decode_private(encode(recorder.core(), recorder.timing()))
