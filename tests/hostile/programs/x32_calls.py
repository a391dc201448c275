"""Attack 19: calls by their x32 numbers, of which a filter that knows only plain ones lets everything through."""

from attacker import serve, system_call

serve(lambda message: system_call(0x40000000 | 57))
