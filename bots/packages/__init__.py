"""Reading an upload without trusting it: a source, a program, or a zip with one of these at its top.

Nothing is unpacked to disk and nothing is run. All work is bounded by the size of the upload and the limits of `zips`,
whatever the archive claims. What a hostile upload could exhaust or crash has a process of its own: a zip is opened in
one that has nothing (`apart`), and so is a program looked at; a source is compiled in the sandbox (`syntax`).
"""

from .reading import ENTRIES, SUFFIXES, Package, check_upload, read_package, suffix_of, to_program
from .refusals import PUBLIC_SENTENCES, SENTENCES, PackageError
from .syntax import check_syntax
from .zips import MAX_UPLOAD_BYTES

__all__ = [
    "ENTRIES",
    "MAX_UPLOAD_BYTES",
    "PUBLIC_SENTENCES",
    "SENTENCES",
    "SUFFIXES",
    "Package",
    "PackageError",
    "check_syntax",
    "check_upload",
    "read_package",
    "suffix_of",
    "to_program",
]
