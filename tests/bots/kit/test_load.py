"""Loading a bot file into this process."""

from __future__ import annotations

import sys

import pytest

from bots.kit import skyjo
from bots.kit.skyjo import Bot, load_bot

HEAD = "from skyjo import Bot, run\n"


def bot_file(folder, text, name="mine.py"):
    path = folder / name
    path.write_text(HEAD + text)
    return path


def test_the_one_bot_of_a_file_is_loaded_and_run_returns_at_once(tmp_path):
    loaded = load_bot(bot_file(tmp_path, "class Mine(Bot): pass\nrun(Mine())\n"))

    assert loaded.__name__ == "Mine"
    assert issubclass(loaded, Bot)


def test_the_file_s_kit_is_this_kit(tmp_path):
    load_bot(bot_file(tmp_path, "class Mine(Bot): pass\n"))

    assert sys.modules["skyjo"] is skyjo


def test_of_several_classes_the_last_in_line_is_meant(tmp_path):
    assert load_bot(bot_file(tmp_path, "class A(Bot): pass\nclass B(A): pass\n")).__name__ == "B"


def test_a_second_name_for_the_same_class_is_no_second_bot(tmp_path):
    assert load_bot(bot_file(tmp_path, "class A(Bot): pass\nBest = A\n")).__name__ == "A"


def test_modules_beside_the_file_can_be_imported(tmp_path):
    (tmp_path / "beside_the_bot.py").write_text("NAME = 'Mine'\n")

    loaded = load_bot(
        bot_file(tmp_path, "import beside_the_bot\nMine = type(beside_the_bot.NAME, (Bot,), {})\n")
    )

    assert loaded.__name__ == "Mine"
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must hold one subclass of Bot, to be played; it holds none."),
        ("class A(Bot): pass\nclass B(Bot): pass\n", "it holds A, B."),
    ],
)
def test_a_file_without_one_clear_bot_is_refused(tmp_path, text, sentence):
    with pytest.raises(ValueError, match="subclass of Bot") as caught:
        load_bot(bot_file(tmp_path, text))
    assert sentence in str(caught.value)


def test_a_file_of_another_type_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is no Python file"):
        load_bot(bot_file(tmp_path, "", name="mine.txt"))


def test_what_the_file_raises_is_the_caller_s_to_see(tmp_path):
    with pytest.raises(ZeroDivisionError):
        load_bot(bot_file(tmp_path, "1 // 0\n"))
    assert str(tmp_path) not in sys.path
