"""Attack 61: closes its standard input and answers on, blindly.

All in one write, so that no second question can come between and be answered by luck.
"""

import json
import os

from attacker import messages, plain, write

first = next(message for message in messages() if message["type"] == "act")
os.close(0)
blind = [{"id": number, "take": "draw"} for number in range(first["id"] + 1, 100)]
write(b"\n".join(json.dumps(answer).encode() for answer in [plain(first), *blind]))
