"""Pictures of every page: `python -m tests.browser [FOLDER]`, as `make screenshots` does.

Writes FOLDER/<look>-<scheme>/<reader>-<address>.png for each page of `scene.pages()`, from an arena that is made for
it and thrown away. FOLDER is `screenshots` under DATA_DIR (`var`) unless said otherwise.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def name_of(page: object) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(page).lower()).strip("-") + ".png"


def shoot(folder: Path) -> int:
    """How many pictures were written."""
    from tests.browser.looking import LOOKS, SCHEMES, Look, chromium, window
    from tests.browser.scene import make_scene, pages
    from tests.browser.serving import served

    n = 0
    scene = make_scene()
    with served() as (url, _), chromium() as browser:
        for look in LOOKS:
            for page in pages():
                context = window(browser, url, look, scene.cookies.get(page.reader, ""))
                seen = Look(context.new_page())
                seen.open(scene.at(page))
                for scheme in SCHEMES:
                    seen.paint(scheme)
                    path = folder / f"{look}-{scheme}" / name_of(page)
                    seen.picture(path)
                    n += 1
                context.close()
    return n


def main(arguments: list[str]) -> int:
    data_dir = Path(os.environ.get("DATA_DIR") or CHECKOUT / "var")
    folder = Path(arguments[0]) if arguments else data_dir / "screenshots"
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="skyjo-screenshots-") as scratch:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        Path(scratch, "static").mkdir()
        os.environ |= {
            "DATA_DIR": scratch,
            "DJANGO_SETTINGS_MODULE": "arena.settings",
            "LOG_LEVEL": "ERROR",
            # The browser's loop runs in the thread that has the database.
            "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
        }
        import django
        from django.conf import settings
        from django.core.management import call_command

        django.setup()
        settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        n = shoot(folder)
    sys.stdout.write(f"{n} pictures in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
