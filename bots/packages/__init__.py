"""Reading an upload without trusting it: one Python file, or a zip with `main.py` at its top.

Nothing is unpacked to disk and nothing is run. All work is bounded by the size of the upload and the limits of `zips`,
whatever the archive claims. What a hostile upload could exhaust or crash has a process of its own: a zip is opened in
one that has nothing (`apart`), a source is compiled in the sandbox (`syntax`).
"""

from .reading import Package, check_upload, read_package, to_program
from .refusals import PUBLIC_SENTENCES, SENTENCES, PackageError
from .syntax import check_syntax
from .zips import MAX_UPLOAD_BYTES

__all__ = [
    "MAX_UPLOAD_BYTES",
    "PUBLIC_SENTENCES",
    "SENTENCES",
    "Package",
    "PackageError",
    "check_syntax",
    "check_upload",
    "read_package",
    "to_program",
]
