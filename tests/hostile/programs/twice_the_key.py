"""Attack 41: a key twice in one object, of which two readers might take different ones."""

from attacker import serve

serve(lambda message: b'{"id":%d,"cells":[0,1],"cells":[0,99]}' % message["id"])
