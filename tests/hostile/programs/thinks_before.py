"""Attack 67: is ready and goes on computing before it has been asked for anything."""

import threading
import time

from attacker import burn, messages, plain, tell, write

threading.Thread(target=lambda: burn(1e9), daemon=True).start()

for message in messages():
    if message["type"] == "hello":
        ready = time.process_time()
    elif message["type"] == "act":
        if message["id"] == 1:
            tell(used_ms=(time.process_time() - ready) * 1000)
        write(plain(message))
