"""Settings: one file for every place. What differs between places comes from the environment, read below.

Safe for production by default; ``DEBUG`` has to be asked for. Importing this module starts nothing. It writes
one file, once: the generated secret key, when no ``SECRET_KEY`` is given.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import database, environment, mail
from config.database import Role
from config.embedded.server import EmbeddedServer
from config.secret_key import kept_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
POSTGRESQL = ("postgresql", "postgres")

# Where

PORT = environment.integer(
    "PORT", 8000, least=1, most=65535, meaning="the port that `make run` and `make serve` listen on"
)
CORRIGENDA_HOME = environment.folder(
    "CORRIGENDA_HOME",
    BASE_DIR / "var",
    base=BASE_DIR,
    shown="`var/`",
    meaning="everything the program writes: embedded database, collected static files, bundles, secret key",
)

# The database

DATABASE_URL = environment.url(
    "DATABASE_URL",
    POSTGRESQL,
    shown="the embedded server",
    meaning="the PostgreSQL (15 or newer) to use, as the web role: a user who owns nothing",
)
DATABASE_OWNER_URL = environment.url(
    "DATABASE_OWNER_URL",
    POSTGRESQL,
    shown="`DATABASE_URL`",
    meaning="the same database as its owner, who migrates and imports; only those commands use it",
)
CORRIGENDA_ROLE = environment.word(
    "CORRIGENDA_ROLE",
    Role.WEB,
    list(Role),
    meaning="the identity of this process; set by `manage.py` from the command, never by hand",
)
CORRIGENDA_PG_BIN = environment.folder(
    "CORRIGENDA_PG_BIN",
    None,
    base=BASE_DIR,
    shown="the wheel's, then `PATH`, then Debian's newest",
    meaning="the folder of `initdb` and `postgres` (15 or newer) that the embedded server runs",
)

EMBEDDED_SERVER: EmbeddedServer | None = None
if DATABASE_URL:
    DATABASES = {"default": database.from_urls(Role(CORRIGENDA_ROLE), DATABASE_URL, DATABASE_OWNER_URL)}
    WEB_ROLE = database.user_of(DATABASE_URL)
    OWNER_ROLE = database.user_of(DATABASE_OWNER_URL or DATABASE_URL)
elif DATABASE_OWNER_URL:
    raise ImproperlyConfigured("DATABASE_OWNER_URL is set without DATABASE_URL: set both.")
else:
    EMBEDDED_SERVER = EmbeddedServer(CORRIGENDA_HOME, CORRIGENDA_PG_BIN)
    DATABASES = {"default": database.from_embedded(Role(CORRIGENDA_ROLE), EMBEDDED_SERVER)}
    WEB_ROLE = EmbeddedServer.WEB
    OWNER_ROLE = EmbeddedServer.OWNER
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Safety

DEBUG = environment.flag("DEBUG", False, meaning="tracebacks in the browser, for development only")
ALLOWED_HOSTS = environment.names(
    "ALLOWED_HOSTS", LOCAL_HOSTS, meaning="the host names that the site answers to; others get 400"
)
SECRET_KEY = environment.text(
    "SECRET_KEY",
    shown="made once, kept in `CORRIGENDA_HOME/secret-key`",
    meaning="signs sessions and tokens; the same for all processes",
) or kept_secret_key(CORRIGENDA_HOME)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = environment.flag(
    "SECURE_SSL",
    not DEBUG and not set(ALLOWED_HOSTS) <= set(LOCAL_HOSTS),
    shown="on, when `ALLOWED_HOSTS` names more than this machine and `DEBUG` is off",
    meaning="sends plain HTTP to HTTPS and marks cookies as secure",
)
SECURE_HSTS_SECONDS = environment.integer(
    "HSTS_SECONDS",
    31_536_000 if SECURE_SSL_REDIRECT else 0,
    least=0,
    most=63_072_000,
    shown="31536000 (a year) with `SECURE_SSL`, else 0",
    meaning="how long browsers remember to use HTTPS only",
)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = environment.flag(
    "HSTS_SUBDOMAINS",
    False,
    meaning="extends that promise to every subdomain and to the browsers' preload list: hard to take back",
)
CSRF_TRUSTED_ORIGINS = environment.names(
    "CSRF_TRUSTED_ORIGINS",
    meaning="further origins (`https://example.org`) whose forms are accepted, when a proxy changes the host",
)
TRUSTED_PROXIES = environment.integer(
    "TRUSTED_PROXIES",
    0,
    least=0,
    most=10,
    meaning="how many proxies of our own stand in front; the limits on reports count the address that the first saw",
)
# A report may hold a whole abstract; what is too long is refused at its field, with all that was typed kept.
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 2**20
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # a load balancer asks these by plain HTTP
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Apps and the way of a request

INSTALLED_APPS = [
    "config",
    "archive",
    "corrections",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",  # before staticfiles: runserver serves static files as production does
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_filters",
    "csp",
    "axes",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.slashes.CanonicalSlashMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",  # last: it answers in place of a view that let nobody in
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # addresses have no slash at their end; config.slashes takes one off
LOGIN_URL = "admin:login"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Signing in: ten wrong passwords from one address within a quarter of an hour, and it has to wait as long. Counted in
# the cache under a digest of the day's digest of the address, since addresses are stored nowhere.

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "config_cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
MIGRATION_MODULES = {"axes": None}  # its tables would hold addresses
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_CLIENT_IP_CALLABLE = "corrections.senders.sender_today"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False
AXES_LOCKOUT_TEMPLATE = "429.html"

# Language and time

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# E-mail to reporters

SITE_URL = (
    environment.url(
        "SITE_URL",
        ("http", "https"),
        shown="`http://localhost:PORT`",
        meaning="the site's own address, for links in e-mails",
    )
    or f"http://localhost:{PORT}"
)
EMAIL_URL = environment.url(
    "EMAIL_URL",
    mail.SCHEMES,
    shown="none: no address is asked for",
    meaning="the server that sends e-mail: `smtp://user:password@host:587` or `smtps://…`",
)
DEFAULT_FROM_EMAIL = environment.text(
    "EMAIL_FROM", "corrigenda@localhost", meaning="the address that e-mails to reporters come from"
)
globals().update(mail.settings_for(EMAIL_URL))

# Static files: as they are while developing; collected, compressed and with a hash in the name otherwise.

STATIC_URL = "/static/"
STATIC_ROOT = CORRIGENDA_HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = DEBUG

# Everything worth reading goes to standard error, where the process's keeper collects it.

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {"without-secrets": {"()": "config.logs.WithoutSecrets"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["without-secrets"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},  # runserver's requests
        "axes": {"level": "CRITICAL"},  # it prints names and addresses
        "django.request": {"level": "ERROR"},  # a 404 is in the access log, and says nothing about us
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # any scanner can ask for any host
        "gunicorn.http.wsgi": {"level": "ERROR"},  # it warns of each HEAD, whose body Django leaves it to drop
    },
}
