"""`python -m matches.kit`."""

import sys

from . import main

if __name__ == "__main__":  # a process that plays matches may import this
    sys.exit(main(sys.argv[1:]))
