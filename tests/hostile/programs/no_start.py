"""Attack 36: is gone before it has said a word."""

import os

os._exit(7)
