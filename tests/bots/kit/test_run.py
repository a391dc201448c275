"""The kit's loop as a real process over pipes."""

from __future__ import annotations

import json
import os
import pty
import random
import subprocess
import sys
import textwrap

import pytest

from bots.sandbox.limits import Limits

from .bot_process import BYE, GAME, HELLO, KIT_FOLDER, PYTHON, act, fresh_game, questions, talk

READY = {"type": "ready"}
LOWEST = """
from skyjo import Bot, run

class Lowest(Bot):
    def draw(self, view):
        return view.take(view.worst_cell()) if view.discard <= 2 else view.draw()

    def place(self, view, card):
        return view.swap(view.worst_cell()) if card <= 4 else view.flip(view.hidden()[0])

"""
RUN = "run(Lowest())\n"


def test_a_bot_gets_ready_and_answers_every_phase_with_the_question_s_id(tmp_path):
    spoken = talk(tmp_path, LOWEST + RUN, [HELLO, GAME, *questions("reveal", "draw", "place"), BYE])

    ready, reveal, draw, place = spoken.answers
    assert ready == READY
    assert reveal == {"id": 1, "cells": [0, 3]}
    assert draw == {"id": 2, "take": "draw"}
    assert place["id"] == 3
    assert set(place) in ({"id", "swap"}, {"id", "flip"})
    assert spoken.stderr == ""
    assert spoken.status == 0


def test_the_bot_s_class_is_as_good_as_a_bot(tmp_path):
    assert talk(tmp_path, LOWEST + "run(Lowest)\n", [HELLO, BYE]).answers == [READY]


def test_running_anything_but_a_bot_says_what_is_wanted(tmp_path):
    spoken = talk(tmp_path, LOWEST + "run(7)\n", [HELLO])

    assert spoken.status == 1
    assert "run() needs a bot, as in run(MyBot()), not 7." in spoken.stderr


def test_a_bot_ends_with_bye_and_reads_nothing_after_it(tmp_path):
    spoken = talk(tmp_path, LOWEST + RUN, [HELLO, BYE, *questions("draw")])

    assert spoken.answers == [READY]
    assert spoken.status == 0


def test_a_bot_ends_quietly_when_the_referee_is_gone(tmp_path):
    spoken = talk(tmp_path, LOWEST + RUN, [HELLO, GAME])

    assert spoken.answers == [READY]
    assert (spoken.stderr, spoken.status) == ("", 0)


def test_messages_and_keys_that_the_kit_does_not_know_are_passed_over(tmp_path):
    news = {"type": "weather", "rain": True}
    asked = {**questions("draw")[0], "colour": "green"}
    spoken = talk(tmp_path, LOWEST + RUN, [{**HELLO, "more": 1}, news, GAME, asked, BYE])

    assert spoken.answers == [READY, {"id": 1, "take": "draw"}]


def test_another_protocol_is_refused_in_words(tmp_path):
    spoken = talk(tmp_path, LOWEST + RUN, [{**HELLO, "protocol": 2}])

    assert spoken.lines == []
    assert spoken.status == 1
    assert "speaks protocol 1, the referee 2" in spoken.stderr


def test_a_carriage_return_before_the_line_feed_is_tolerated(tmp_path):
    spoken = talk(tmp_path, LOWEST + RUN, [json.dumps(HELLO) + "\r", json.dumps(questions("draw")[0]) + "\r"])

    assert len(spoken.answers) == 2


def test_what_a_bot_prints_goes_to_standard_error_wherever_it_prints(tmp_path):
    bot = """
        from skyjo import Bot, run
        print("while starting")

        class Chatty(Bot):
            def prepare(self):
                print("in prepare", flush=True)
            def draw(self, view):
                print("in draw")
                import os, sys
                os.write(1, b"straight to descriptor 1\\n")
                sys.__stdout__.write("to the old stdout\\n")
                return view.draw()

        run(Chatty())
        print("after the match")
    """
    spoken = talk(tmp_path, textwrap.dedent(bot), [HELLO, GAME, *questions("draw"), BYE])

    assert spoken.answers == [READY, {"id": 1, "take": "draw"}]
    for text in ("while starting", "in prepare", "in draw", "straight to descriptor 1", "to the old stdout"):
        assert text in spoken.stderr
    assert "after the match" in spoken.stderr


def test_a_program_of_several_modules_plays_and_may_print_too(tmp_path):
    files = {
        "main.py": "import mine\nif __name__ == '__main__':\n    mine.run(mine.Lowest())\n",
        "mine.py": LOWEST.replace("def draw(self, view):", "def draw(self, view):\n        print('in draw')"),
    }
    spoken = talk(tmp_path, files, [HELLO, GAME, *questions("draw"), BYE])

    assert spoken.answers == [READY, {"id": 1, "take": "draw"}]
    assert spoken.stderr == "in draw\n"


def test_a_module_beside_the_main_program_may_print_as_soon_as_it_has_imported_the_kit(tmp_path):
    (tmp_path / "parts").mkdir()
    files = {
        "main.py": "import parts.mine\nparts.mine.run(parts.mine.Lowest())\n",
        "parts/mine.py": f"{LOWEST}\nprint('in a module')\n",
    }
    spoken = talk(tmp_path, files, [HELLO, BYE])

    assert spoken.answers == [READY]
    assert spoken.stderr == "in a module\n"


def test_a_program_that_imports_a_bot_from_elsewhere_keeps_its_standard_output(tmp_path):
    bots, looker = tmp_path / "bots", tmp_path / "looker"
    bots.mkdir()
    looker.mkdir()
    (bots / "lowest.py").write_text(LOWEST + RUN)
    program = f"import sys\nsys.path.insert(0, {str(bots)!r})\nimport lowest\nprint(lowest.Lowest.__name__)\n"
    assert talk(looker, program, []).lines == ["Lowest"]


def test_input_does_not_take_the_referee_s_messages(tmp_path):
    bot = LOWEST.replace("def draw(self, view):", "def draw(self, view):\n        input()")
    spoken = talk(tmp_path, bot + RUN, [HELLO, GAME, *questions("draw", "draw")])

    assert spoken.answers == [READY]
    assert "lost sys.stdin" in spoken.stderr


def test_an_exception_ends_the_bot_with_the_message_and_the_traceback_on_standard_error(tmp_path):
    bot = LOWEST.replace("return view.swap(view.worst_cell()) if card <= 4 else", "return").replace(
        "view.flip(view.hidden()[0])", "1 // 0"
    )
    asked = questions("draw", "place")
    spoken = talk(tmp_path, bot + RUN, [HELLO, GAME, *asked])

    assert spoken.answers == [READY, {"id": 1, "take": "draw"}]
    assert spoken.status == 1
    assert "skyjo: Lowest failed at this message:" in spoken.stderr
    assert '"phase": "place"' in spoken.stderr
    assert spoken.stderr.rstrip().endswith("ZeroDivisionError: integer division or modulo by zero")


@pytest.mark.parametrize(
    ("phase", "method", "sentence"),
    [
        (
            "draw",
            "def draw(self, view): pass",
            "Odd.draw must return view.draw() or view.take(cell), not None.",
        ),
        (
            "draw",
            "def draw(self, view): return 5",
            "Odd.draw must return view.draw() or view.take(cell), not 5.",
        ),
        (
            "draw",
            "def draw(self, view): return view.swap(0)",
            "swap(0) is no answer in phase draw: use draw() or",
        ),
        ("draw", "def place(self, view, card): pass", "Odd has no method draw(self, view)."),
        ("place", "def draw(self, view): pass", "Odd has no method place(self, view, card)."),
        (
            "place",
            "def place(self, view, card): pass",
            "must return view.swap(cell) or view.flip(cell), not None.",
        ),
        (
            "place",
            "def place(self, view, card): return view.draw()",
            "draw() is no answer in phase place: use swap",
        ),
        ("place", "def place(self, view, card): return view.flip(0)", "flip(0): cell 0 is not face-down"),
        (
            "place",
            "def place(self, view, card): return view.swap(12)",
            "A cell is an integer from 0 to 11, not 12.",
        ),
        (
            "reveal",
            "def reveal(self, view): return 5",
            "must return two different face-down cells, such as (0, 5)",
        ),
        ("reveal", "def reveal(self, view): return 5, 5", "such as (0, 5), not (5, 5)."),
        ("reveal", "def reveal(self, view): return 5, 12", "such as (0, 5), not (5, 12)."),
        ("reveal", "def reveal(self, view): return 1, True", "such as (0, 5), not (1, True)."),
        ("reveal", "def reveal(self, view): return [3]", "such as (0, 5), not [3]."),
    ],
)
def test_a_wrong_answer_of_a_bot_is_explained_to_its_author(tmp_path, phase, method, sentence):
    bot = f"from skyjo import Bot, run\nclass Odd(Bot):\n    {method}\nrun(Odd())\n"
    spoken = talk(tmp_path, bot, [HELLO, GAME, *questions(phase)])

    assert spoken.answers == [READY]
    assert sentence in spoken.stderr
    assert spoken.status == 1


def test_an_action_kept_from_another_phase_is_refused(tmp_path):
    bot = """
        from skyjo import Bot, run
        class Keeper(Bot):
            def draw(self, view):
                self.kept = view.draw()
                return self.kept
            def place(self, view, card):
                return self.kept
        run(Keeper())
    """
    spoken = talk(tmp_path, textwrap.dedent(bot), [HELLO, GAME, *questions("draw", "place")])

    assert len(spoken.answers) == 2
    assert "Keeper.place must return view.swap(cell) or view.flip(cell), not draw()." in spoken.stderr


def test_random_is_seeded_for_every_game_before_the_bot_hears_of_it(tmp_path):
    bot = """
        import random
        from skyjo import Bot, run
        class Lucky(Bot):
            def game_start(self):
                self.first = random.random()
            def draw(self, view):
                view.note(f"{self.first} {random.random()}")
                return view.draw()
        run(Lucky())
    """
    [asked] = questions("draw")
    other = {**GAME, "game": 1, "random_seed": 5}
    spoken = talk(
        tmp_path,
        textwrap.dedent(bot),
        [HELLO, GAME, asked, other, {**asked, "id": 2}, GAME, {**asked, "id": 3}],
    )

    notes = [answer["note"] for answer in spoken.answers[1:]]
    expected = []
    for seed in (GAME["random_seed"], 5, GAME["random_seed"]):
        luck = random.Random(seed)
        expected.append(f"{luck.random()} {luck.random()}")
    assert notes == expected


def test_the_hooks_are_called_in_order_and_know_what_they_should(tmp_path):
    bot = """
        from skyjo import Bot, run
        class Told(Bot):
            def prepare(self):
                print("prepare", self.rules["target"], self.limits["decision_ms"])
            def game_start(self):
                print("game", self.game, self.seats, self.seat)
            def draw(self, view):
                print("draw", view.rules["preset"], view.clock["bank_ms"], view.since)
                return view.draw()
            def round_end(self, result):
                print("round", result["round"], result["points"], result["closer"])
            def game_over(self, result):
                print("over", result["placing"])
        run(Told())
    """
    round_over = {
        "type": "round",
        "round": 1,
        "points": [31, 12],
        "doubled": None,
        "closer": 1,
        "totals": [31, 12],
    }
    over = {"type": "over", "placing": [2, 1], "totals": [131, 12]}
    asked = {**questions("draw")[0], "since": [{"event": "start", "seat": 0}]}
    spoken = talk(tmp_path, textwrap.dedent(bot), [HELLO, GAME, asked, round_over, over, BYE])

    assert spoken.stderr.splitlines() == [
        "prepare 100 500",
        "game 0 2 0",
        "draw official 9000 [{'event': 'start', 'seat': 0}]",
        "round 1 [31, 12] 1",
        "over [2, 1]",
    ]


def test_notes_of_a_decision_are_joined_cut_and_made_clean(tmp_path):
    bot = """
        from skyjo import Bot, run
        class Noting(Bot):
            def draw(self, view):
                if view.turn % 2:
                    view.note("5.2 < 6.1")
                    view.note(7)
                else:
                    view.note("\\ud800 é " + 300 * "x")
                return view.draw()
        run(Noting())
    """
    [asked] = questions("draw")
    even = {**asked, "id": 2, "view": {**asked["view"], "turn": 2}}
    spoken = talk(tmp_path, textwrap.dedent(bot), [HELLO, GAME, asked, even])

    assert spoken.answers[1]["note"] == "5.2 < 6.1; 7"
    assert spoken.answers[2]["note"] == "? é " + 196 * "x"


def test_a_message_of_eight_seats_with_a_long_history_is_read_whole(tmp_path):
    asked = act(1, fresh_game(seats=8))
    asked["since"] = [{"event": "open", "card": 1}] * 2000
    spoken = talk(tmp_path, LOWEST + RUN, [HELLO, GAME, asked, BYE])

    assert spoken.answers == [READY, {"id": 1, "cells": [0, 3]}]


def test_the_tie_break_asks_for_one_cell(tmp_path):
    bot = LOWEST.replace(
        "class Lowest(Bot):", "class Lowest(Bot):\n    def reveal_one(self, view):\n        return 7"
    )
    asked = act(1, fresh_game())
    asked["view"]["grids"][0][0:2] = [3, 3]
    wrong = bot.replace("return 7", "return 0")

    assert talk(tmp_path, bot + RUN, [HELLO, GAME, asked]).answers[1] == {"id": 1, "cells": [7]}
    assert talk(tmp_path, LOWEST + RUN, [HELLO, GAME, asked]).answers[1] == {"id": 1, "cells": [2]}
    assert (
        "Lowest.reveal_one must return one face-down cell"
        in talk(tmp_path, wrong + RUN, [HELLO, asked]).stderr
    )


def test_an_unguarded_run_returns_at_once_while_the_bot_file_is_imported(tmp_path):
    (tmp_path / "lowest.py").write_text(LOWEST + RUN)
    program = "import lowest\nprint('imported', lowest.Lowest.__name__)\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b"",
        env={"PYTHONPATH": f"{KIT_FOLDER}:{tmp_path}"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == b"imported Lowest\n"


def test_a_bot_started_by_hand_says_what_it_waits_for(tmp_path):
    (tmp_path / "main.py").write_text(LOWEST + RUN)
    ours, terminal = pty.openpty()
    with subprocess.Popen(
        PYTHON.argv("main.py", str(tmp_path), Limits()),
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PYTHON.environment_with(str(KIT_FOLDER)),
    ) as process:
        os.close(terminal)
        os.write(ours, b"\x04")
        stdout, stderr = process.communicate(timeout=60)
        os.close(ours)

    assert stdout == b""
    assert b"waits for a referee's messages" in stderr
    assert process.returncode == 0
