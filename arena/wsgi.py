"""What gunicorn serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
application = get_wsgi_application()

# What is loaded by now stays. The collector of rings need not look through it again and again, nor come as often as a
# page makes a few hundred objects: almost all of them go when nobody holds them any more.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 20)
