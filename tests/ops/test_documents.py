"""Documents that people follow: what they name exists, and what exists is named."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")])
READ = re.compile(r"""(?:\benv\.\w+|\bsecret|\bos\.environ\.get)\(\s*"([A-Z][A-Z_]+)\"""")
# Set by `manage.py serve` for its own processes, and by Django's own entry points.
INTERNAL = {"EMBEDDED", "DJANGO_SETTINGS_MODULE"}


def test_every_variable_is_documented():
    sources = [CHECKOUT / "arena/settings.py", *CHECKOUT.glob("arena/management/commands/*.py")]
    read = {name for source in sources for name in READ.findall(source.read_text())} - INTERNAL
    assert {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "HOST", "PORT", "LEASE_S"} <= read
    named = set(re.findall(r"`([A-Z][A-Z_]+)`", (CHECKOUT / "docs/operate.md").read_text()))
    assert read <= named, f"docs/operate.md does not name {read - named}"


def headings(document):
    """What a link to a heading of the document may name, as code hosts do it."""
    found = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", document.read_text(), flags=re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_between_documents_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)]+)\)", document.read_text()):
        if "://" in target:
            continue
        file, _, heading = target.partition("#")
        found = document.parent / file if file else document
        assert found.exists(), target
        if heading:
            assert heading in headings(found), target


def test_the_index_names_every_document():
    index = (CHECKOUT / "docs/README.md").read_text()
    named = set(re.findall(r"\]\(([^)]+)\)", index))
    files = {
        path.relative_to(CHECKOUT / "docs").as_posix()
        for path in (CHECKOUT / "docs").rglob("*")
        if path.is_file() and path.parent.name != "pictures"
    }
    assert named == files - {"README.md"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_files_of_the_repository_that_documents_name_exist(document):
    # In recipes, `mine` stands for what a reader is to make.
    named = re.findall(
        r"`((?:arena|bots|docs|matches|scripts|tests)/(?![\w./-]*mine\.)[\w./-]+)`", document.read_text()
    )
    assert [
        path for path in named if not any((CHECKOUT / each).exists() for each in (path, f"{path}.py"))
    ] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_make_targets_and_commands_that_documents_name_exist(document):
    text = document.read_text()
    makefile = (CHECKOUT / "Makefile").read_text()
    for target in re.findall(r"(?:^|`|\s{4})make ([a-z-]+)\b", text, re.MULTILINE):
        pattern = target if f"\n{target}:" in makefile else re.sub("-.*", "-%", target)
        assert f"\n{pattern}:" in makefile, f"make {target}"
    commands = {path.stem for path in CHECKOUT.glob("*/management/commands/*.py")}
    django = {
        "check",
        "createcachetable",
        "createsuperuser",
        "collectstatic",
        "help",
        "migrate",
        "spectacular",
    }
    for command in re.findall(r"manage\.py ([a-z_]+)\b", text):
        assert command in commands | django, f"manage.py {command}"


def test_the_readme_begins_with_the_two_commands():
    lines = [line.strip() for line in (CHECKOUT / "README.md").read_text().splitlines() if line.strip()]
    assert lines[1].startswith("make run")
    assert lines[2].startswith("make test")


def test_the_bot_of_the_readme_plays(tmp_path):
    (source,) = re.findall(r"```python\n(.*?)```", (CHECKOUT / "README.md").read_text(), re.DOTALL)
    bot = tmp_path / "lowest.py"
    bot.write_text(textwrap.dedent(source))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "matches.kit",
            "play",
            "random",
            str(bot),
            "--deals",
            "1",
            "--seed",
            "7",
            "--json",
        ],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["bots"]}
    assert rows["lowest"]["faults"] == {}
    assert rows["lowest"]["wins"] == 2
