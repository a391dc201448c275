"""Attack 65: keeps all that it is told, to know a duplicate deal, and an opponent, when it meets them again."""

from attacker import messages, plain, tell, write

for message in messages():
    is_asked = message["type"] == "act"
    answer = plain(message) if is_asked else None
    if is_asked:
        message["clock"] = sorted(message["clock"])
    # Told before it answers: with its last answer a game may be over.
    tell(message=message)
    if is_asked:
        write(answer)
