"""What a game costs to store."""

from matches.engine import Rules
from matches.replay import encode

from .games import play


def test_an_ordinary_game_of_two_seats_takes_less_than_a_kilobyte():
    recorders = [play(Rules(target=target), seed=seed) for target in (100, 200) for seed in range(6)]
    sizes = {recorder.n_decisions: len(encode(recorder.core(), recorder.timing())) for recorder in recorders}
    assert max(sizes) > 450
    assert max(sizes.values()) < 1024
