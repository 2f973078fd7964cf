"""The settings of the tests: the project's own, as the owner, untouched by the caller's environment."""

from __future__ import annotations

import os

for _name in (
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "HSTS_SECONDS",
    "HSTS_SUBDOMAINS",
    "SECURE_SSL",
    "DEBUG",
    "TRUSTED_PROXIES",
    "SITE_URL",
    "EMAIL_URL",
    "EMAIL_FROM",
):
    os.environ.pop(_name, None)
os.environ["SECRET_KEY"] = "for tests only " * 4
os.environ.setdefault("CORRIGENDA_ROLE", "owner")  # manage.py, run by a test, sets its own

from config.settings import *  # noqa: E402, F403  (the environment has to be set first)

# Static files are served from where they lie: nothing needs to be collected before a test.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the real one is slow on purpose
