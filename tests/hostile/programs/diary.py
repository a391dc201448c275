"""Attack 65: keeps all that it is told, to know a duplicate deal, and an opponent, when it meets them again."""

from attacker import messages, plain, tell, write

for message in messages():
    if message["type"] == "act":
        write(plain(message))
        message["clock"] = sorted(message["clock"])
    tell(message=message)
