"""All settings, read from the environment, and working with an empty one.

Without `DATABASE_URL` and `REDIS_URL` the arena runs on SQLite and Celery's filesystem transport under
`DATA_DIR`; with them the same code runs on PostgreSQL and Redis. `docs/operate.md` lists every variable.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from celery.schedules import schedule
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from bots.packages import MAX_UPLOAD_BYTES

BASE_DIR = Path(__file__).resolve().parent.parent


class Environment(environ.Env):
    def whole(self, name: str, default: int, *, least: int = 0) -> int:
        """A whole number, at least so large; the default where the variable is missing or empty."""
        text = os.environ.get(name, "").strip()
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) >= least):
            raise ImproperlyConfigured(f"{name} is “{text[:40]}”: give a whole number, at least {least}.")
        return int(text)

    def one_of(self, name: str, words: list[str]) -> str:
        """One of these words; the first where the variable is missing or empty."""
        text = os.environ.get(name, "").strip() or words[0]
        if text not in words:
            raise ImproperlyConfigured(f"{name} is “{text[:40]}”: give one of {', '.join(words)}.")
        return text


env = Environment()


def secret(name: str, default: str = "") -> str:
    """`NAME`, or the contents of the file that `NAME_FILE` names."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text().strip()
    return os.environ.get(name, default)


@contextlib.contextmanager
def writing_to(directory: Path) -> Iterator[None]:
    """Makes the data directory, and says in words what keeps us from writing there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ImproperlyConfigured(
            f"DATA_DIR {directory} cannot be written: {error.strerror}. Choose another with DATA_DIR=/path."
        ) from error


def kept_secret_key(directory: Path) -> str:
    """The secret key made once under the data directory, readable by its owner alone."""
    path = directory / "secret-key"
    with writing_to(directory):
        if not path.exists():
            fresh = path.with_name(f"{path.name}-{os.getpid()}")
            fresh.touch(mode=0o600)
            fresh.write_text(secrets.token_urlsafe(64))
            # Linked whole, so that processes which start together read one key and never a half-written one.
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text().strip()


# Ratings are the same on every host when their sums are added in one order, by one thread. Read when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = secret("SECRET_KEY") or kept_secret_key(DATA_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# How many proxies of ours stand in front; only so many entries of X-Forwarded-For are believed.
PROXY_COUNT = env.whole("PROXY_COUNT", 0)
# Whether people reach the site by HTTPS; cookies are then sent over nothing else.
HTTPS = env.bool("HTTPS", default=False)

INSTALLED_APPS = [
    # Before ours, whose admin takes pages of theirs away.
    "allauth",
    "allauth.account",
    "bots",
    "matches",
    "arena",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "arena.staticfiles.Files",
    "django.contrib.humanize",
    # Its templates of widgets, which our loader reads.
    "django.forms",
    "csp",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "arena.middleware.RequestIds",
    "arena.middleware.headers_alone",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "arena.privacy.keep_personal_answers",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "arena.middleware.refuse_streams",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "arena.api.parameters.KnownParameters",
]

ROOT_URLCONF = "arena.urls"
WSGI_APPLICATION = "arena.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "arena" / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "arena.templating.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "builtins": ["arena.templatetags.addresses"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- Data ---------------------------------------------------------------------------------------------------

if env.str("DATABASE_URL", default=""):
    DATABASES = {"default": env.db_url("DATABASE_URL")}
    DATABASES["default"]["OPTIONS"] = {
        # A server that is gone without a word is noticed within a minute; by itself the system would wait for hours.
        "connect_timeout": 10,
        "tcp_user_timeout": 60_000,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        # What a page reads lies in memory, or on a disk that does not turn: a row found by index costs little more
        # than the next one of a scan, which PostgreSQL does not know by itself. And a statement that is prepared has
        # one plan, whatever its values: the one that tests have looked at.
        "options": "-c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan",
        "prepare_threshold": 1 if env.bool("PREPARED_STATEMENTS", default=True) else None,
        **DATABASES["default"].get("OPTIONS", {}),
    }
else:
    with writing_to(DATA_DIR):
        pass
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / "arena.sqlite3",
            "OPTIONS": {
                # WAL alone makes read-then-write transactions fail; with IMMEDIATE none did.
                "timeout": 20,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
            # A file, not memory: tests see the locking that people get.
            "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
        }
    }
# Connections live as long as their thread; a broken one is found and replaced at the next request or task.
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# In the database, so that rate limits are shared between processes without another server.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # The default of 300 would let a flood of addresses push out the counts that rate limits keep.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

# --- Celery: the broker is a door bell, the database is the truth -------------------------------------------

# A match's own wall limit is computed from its limits; no match may ask for more than this (seconds).
MATCH_WALL_LIMIT_S = env.whole("MATCH_WALL_LIMIT_S", 3600, least=60)
# Games that are played again from their replays, each once a day at most. One takes two or three milliseconds.
VERIFY_GAMES_A_MINUTE = env.whole("VERIFY_GAMES_A_MINUTE", 300)
LEASE_S = env.whole("LEASE_S", 180, least=1)
MAX_ATTEMPTS = env.whole("MAX_ATTEMPTS", 5, least=1)
# How many matches an embedded arena plays at once; 0: as many as cores and memory allow.
MATCH_WORKERS = env.whole("MATCH_WORKERS", 0)
# Whether one command runs all processes on this host, so that a worker that starts knows its predecessor dead.
EMBEDDED = env.bool("EMBEDDED", default=False)

REDIS_URL = secret("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost/"
if REDIS_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "visibility_timeout": 4 * (MATCH_WALL_LIMIT_S + 30),
        # A server that is gone without a word must hold up no page, no sweep and no finished match.
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 30,
    }
else:
    CELERY_BROKER_TRANSPORT = "arena.broker:Transport"
    BELLS_DIR = DATA_DIR / "broker" / "bells"
    with writing_to(DATA_DIR):
        BELLS_DIR.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "folder": str(BELLS_DIR),
        # A free process waits half of this for its next match, which itself may take but 0.2 s.
        "polling_interval": 0.02,
    }
# Whether each process that plays matches keeps itself and its bots to one core.
PIN_WORKERS = env.bool("PIN_WORKERS", default=True)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Else a worker that loses its broker thinks itself smaller, and grows again only by acknowledgements that now fail.
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_MAX_TASKS_PER_CHILD = env.whole("MAX_TASKS_PER_CHILD", 200, least=1)
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = env.float("SOFT_SHUTDOWN_S", default=20.0)
CELERY_BROKER_POOL_ACQUIRE_TIMEOUT = 5
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "housekeeping"
CELERY_TASK_ROUTES = {
    "arena.tasks.play_match": {"queue": "matches"},
    "arena.tasks.check_version": {"queue": "checks"},
    # A fit of many thousand versions takes minutes, for which the sweep cannot wait.
    "arena.tasks.rate_ladders": {"queue": "ratings"},
}
# What is due every few seconds need not be remembered, and no full disk or half-written file keeps beat from its work.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "arena.tasks.sweep", "schedule": schedule(5.0), "options": {"expires": 15}},
    "pair": {"task": "arena.tasks.pair_ladders", "schedule": schedule(5.0), "options": {"expires": 15}},
    "scrutinise": {"task": "arena.tasks.scrutinise", "schedule": schedule(60.0), "options": {"expires": 120}},
    "verify": {"task": "arena.tasks.verify_games", "schedule": schedule(60.0), "options": {"expires": 120}},
    "rate": {"task": "arena.tasks.rate_ladders", "schedule": schedule(5.0), "options": {"expires": 15}},
}

# --- Accounts -----------------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "arena.accounts.backend.Backend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_USERNAME_VALIDATORS = "arena.names.username_validators"
ACCOUNT_FORMS = {"signup": "arena.accounts.signup.SignupForm"}
ACCOUNT_ADAPTER = "arena.accounts.adapter.Adapter"
# Nobody learns whether an e-mail address has an account; so several accounts may name the same unproved address.
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_RATE_LIMITS = {
    # Attempts, and accounts that are made.
    "signup": "20/m/ip",
    "account_made": "5/h/ip",
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/m/ip,5/m/key",
    "change_password": "5/m/user",
    # Uploads, refused ones and repetitions too; what is taken, the quotas limit.
    "submit": "60/m/user",
    # Of tournaments: each may take a second of a web process.
    "estimate": "60/m/ip",
    # Of replays, stored ones and files: each is a game played by a web process.
    "replay": "60/m/ip",
    # Each may take a web process minutes, for who has played for years.
    "export": "6/h/user",
    # Chunks of matches in bulk: each may take some seconds of a web process.
    "bulk": "20/m/ip",
}
ALLAUTH_TRUSTED_PROXY_COUNT = PROXY_COUNT
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
# Without a mail server nothing is sent. (The console is no substitute: what goes there is kept in logs, and a link that
# resets a password is a secret.)
vars().update(env.email_url_config(secret("EMAIL_URL") or "dummymail://"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM", default="arena@localhost")

# --- API ----------------------------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "arena.api.auth.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["arena.api.rendering.QuickRenderer"],
    "DEFAULT_PARSER_CLASSES": ["arena.api.parsers.JSONParser"],
    "DEFAULT_PAGINATION_CLASS": "arena.api.pagination.Newest",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "arena.api.negotiation.AlwaysJson",
    "DEFAULT_METADATA_CLASS": "arena.api.negotiation.Methods",
    "EXCEPTION_HANDLER": "arena.api.errors.error_response",
    # `?format=` chooses a replay's form, not a renderer.
    "URL_FORMAT_OVERRIDE": None,
    "NUM_PROXIES": PROXY_COUNT,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Skyjo Arena",
    "DESCRIPTION": (
        "Bots, ladders, matches, ratings and replays. Reading needs no account. Every error has one shape, `Error`: "
        "also the 405 for a method that an address has not, and the 500 for an error of ours."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "VersionStatus": "bots.models.Version.Status",
        "StageStatus": "bots.models.CheckStage.Status",
        "StageName": "bots.models.CheckStage.Name",
        "MatchStatus": "matches.models.Match.Status",
        "TournamentState": "arena.models.Tournament.State",
        "TournamentSeeding": "arena.models.Tournament.Seeding",
        "TournamentAction": "arena.models.TournamentRecord.Action",
        "TrialState": "arena.models.Trial.State",
        "TrialStop": "arena.models.Trial.Stop",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "arena.api.schema.document_errors",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
}

# Its migrations would make a table for the model that ours replaces, which no flush knows.
MIGRATION_MODULES = {"knox": None}
KNOX_TOKEN_MODEL = "arena.ApiToken"  # noqa: S105 - the name of a model
REST_KNOX = {
    "AUTH_HEADER_PREFIX": "Token",
    "TOKEN_PREFIX": "skyjo_",
    "TOKEN_TTL": timedelta(days=90),
    "AUTO_REFRESH": False,
}

# --- Pages --------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "arena" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "arena" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "arena.staticfiles.Storage"},
}

# --- Security -----------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
if HTTPS:
    # A probe from this machine speaks plain HTTP.
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    SECURE_SSL_REDIRECT = env.bool("SSL_REDIRECT", default=True)
    SECURE_HSTS_SECONDS = env.whole("HSTS_SECONDS", 31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    if PROXY_COUNT:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- What people may submit ---------------------------------------------------------------------------------

# Code that is pasted grows on its way, as every character may be sent as three.
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * MAX_UPLOAD_BYTES
QUOTA_BOTS = env.whole("QUOTA_BOTS", 10)
QUOTA_ENTRIES = env.whole("QUOTA_ENTRIES", 3)
# Tournaments of an account that are not over, and what one may come to.
QUOTA_TOURNAMENTS = env.whole("QUOTA_TOURNAMENTS", 3)
QUOTA_TOURNAMENT_GAMES = env.whole("QUOTA_TOURNAMENT_GAMES", 30_000)
# Trials of an account that run at once and start in 24 hours, and the pairs that one may take.
QUOTA_TRIALS = env.whole("QUOTA_TRIALS", 2)
QUOTA_TRIALS_A_DAY = env.whole("QUOTA_TRIALS_A_DAY", 10)
QUOTA_TRIAL_PAIRS = env.whole("QUOTA_TRIAL_PAIRS", 20_000, least=1)
# Matches on request of an account: in 24 hours, and not played yet.
QUOTA_REQUESTS_A_DAY = env.whole("QUOTA_REQUESTS_A_DAY", 50)
QUOTA_PENDING_REQUESTS = env.whole("QUOTA_PENDING_REQUESTS", 3)
QUOTA_VERSIONS_A_DAY = env.whole("QUOTA_VERSIONS_A_DAY", 20)


# --- What is kept how long (days; 0: for ever). `manage.py retention` applies it. -----------------------------

KEEP_LOGS_DAYS = env.whole("KEEP_LOGS_DAYS", 180)
KEEP_DETAILS_DAYS = env.whole("KEEP_DETAILS_DAYS", 90)
KEEP_REJECTED_DAYS = env.whole("KEEP_REJECTED_DAYS", 365)

# --- Metrics ------------------------------------------------------------------------------------------------

# Who may read /metrics: whoever sends it as a bearer token; nobody while it is empty.
METRICS_TOKEN = secret("METRICS_TOKEN")

# --- Logs ---------------------------------------------------------------------------------------------------


def is_no_probe(record: logging.LogRecord) -> bool:
    """A health probe's 503 is an answer, said in its own words, and no error of the site."""
    return getattr(getattr(record, "request", None), "path", None) not in {"/healthz", "/readyz"}


LOG_LEVEL = env.one_of("LOG_LEVEL", ["INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL"])
LOG_FORMAT = env.one_of("LOG_FORMAT", ["plain", "json"])
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "no_probe": {"()": "django.utils.log.CallbackFilter", "callback": is_no_probe},
        "ids": {"()": "arena.logs.AddIds"},
        "refusals": {"()": "arena.logs.Refusals"},
    },
    "formatters": {"plain": {"()": "arena.logs.Plain"}, "json": {"()": "arena.logs.Json"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "level": LOG_LEVEL,
            "formatter": LOG_FORMAT,
            "filters": ["no_probe", "refusals", "ids"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # Django's own handlers would write some lines a second time, and mail others.
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # What Celery says of each task it rings for, takes and ends, tasks say with what they were about.
        "celery.beat": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
