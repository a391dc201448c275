"""Templates and static files, without a server."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template

ARENA = settings.BASE_DIR / "arena"
TEMPLATES = sorted((ARENA / "templates").rglob("*.html"))
VENDOR = ARENA / "static" / "arena" / "vendor"
OWN = [path for path in sorted((ARENA / "static" / "arena").rglob("*")) if VENDOR not in path.parents]
STYLES = [path for path in OWN if path.suffix == ".css"]
SCRIPTS = [path for path in OWN if path.suffix == ".js"]

TRANSLATED = re.compile(r"{%\s*blocktrans.*?{%\s*endblocktrans\s*%}", re.DOTALL)
INVISIBLE = re.compile(
    r"{#.*?#}|{%\s*comment.*?{%\s*endcomment\s*%}|<svg.*?</svg>|<pre[^>]*>.*?</pre>", re.DOTALL
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ARENA / "templates")))
def test_every_word_of_a_template_is_translatable(path: Path) -> None:
    text = path.read_text()
    text = TRANSLATED.sub("", INVISIBLE.sub("", text))
    text = re.sub(r"{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", text)
    left = [word for word in re.findall(r"[A-Za-z]{2,}", text) if word not in {"kbd", "SHA"}]
    assert left == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ARENA / "templates")))
def test_a_template_compiles_and_carries_no_style_script_or_foreign_host(path: Path) -> None:
    get_template(str(path.relative_to(ARENA / "templates")))
    text = path.read_text()
    assert not re.search(r"<style|style=|<script(?![^>]*\bsrc=)|\bon[a-z]+=|hx-on|https?://", text)


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_sheet_refers_to_no_other_place(path: Path) -> None:
    assert not re.search(r"@import|url\(\s*(?!['\"]?(?:data:|#))", path.read_text())


def test_every_variable_that_a_style_sheet_uses_is_set() -> None:
    styles = "".join(path.read_text() for path in STYLES)
    scripts = "".join(path.read_text() for path in SCRIPTS)
    used = set(re.findall(r"var\((--[a-z-]+)", styles))
    known = set(re.findall(r"(--[a-z-]+)\s*:", styles)) | set(
        re.findall(r"setProperty\(.(--[a-z-]+)", scripts)
    )
    assert used - known == set()


def test_vendored_files_are_the_ones_that_are_recorded() -> None:
    recorded = dict(
        re.findall(
            r"^\| `([^`]+)` \|.*`([0-9a-f]{64})` \|$", (VENDOR / "VENDOR.md").read_text(), re.MULTILINE
        )
    )
    files = {path.name for path in VENDOR.iterdir()} - {"VENDOR.md"}
    assert files == set(recorded)
    for name, sha256 in recorded.items():
        content = (VENDOR / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sha256
        assert b"sourceMappingURL" not in content


# --- Contrast: 4.5 to 1 for text, in both schemes ------------------------------------------------------------

PAIRS = [
    *((ink, ground) for ink in ("text", "muted") for ground in ("ground", "surface", "sunken")),
    *((ink, ground) for ink in ("accent", "bot-fault", "infra-fault") for ground in ("ground", "surface")),
    *((name, f"{name}-tint") for name in ("accent", "good", "bot-fault", "infra-fault", "warn")),
    *(
        (ink, f"{name}-tint")
        for ink in ("text", "accent")
        for name in ("good", "bot-fault", "infra-fault", "warn")
    ),
    ("accent-ink", "accent"),
    *((f"card-{name}-ink", f"card-{name}") for name in ("neg", "zero", "low", "mid", "high")),
]


def schemes() -> dict[str, dict[str, str]]:
    text = (ARENA / "static" / "arena" / "base.css").read_text()
    light, dark = text.split("@media screen and (prefers-color-scheme: dark)", 1)

    def variables(part: str) -> dict[str, str]:
        return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", part))

    return {"light": variables(light), "dark": variables(light) | variables(dark.split("\n}\n", 1)[0])}


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS, ids=lambda name: name)
def test_text_stands_out_from_its_ground(ink: str, ground: str, scheme: str) -> None:
    colours = schemes()[scheme]
    dim, bright = sorted((luminance(colours[ink]), luminance(colours[ground])))
    assert (bright + 0.05) / (dim + 0.05) >= 4.5
