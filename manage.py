#!/usr/bin/env python3
"""Django's command line for the arena: `python manage.py help` lists what it can do."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        # A setting that somebody got wrong; its sentence says which, and a traceback would hide that.
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
