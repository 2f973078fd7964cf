"""E-mail's one address becomes Django's settings, in the form that its version asks for."""

from __future__ import annotations

import django
import pytest

from config import mail

OPTIONS = {
    "host": "mail.example.org",
    "port": 587,
    "username": "a b",
    "password": "p/w",
    "use_ssl": False,
    "use_tls": True,
    "timeout": 20,
}


def test_one_setting_from_django_6_1_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django, "VERSION", (6, 1, 3, "final", 0))
    assert mail.settings_for("smtp://a%20b:p%2Fw@mail.example.org") == {
        "MAILERS": {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": OPTIONS}}
    }
    assert mail.settings_for(None) == {
        "MAILERS": {"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend", "OPTIONS": {}}}
    }


def test_one_for_each_option_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django, "VERSION", (5, 2, 19, "final", 0))
    assert mail.settings_for("smtps://mail.example.org") == {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example.org",
        "EMAIL_PORT": 465,
        "EMAIL_HOST_USER": "",
        "EMAIL_HOST_PASSWORD": "",
        "EMAIL_USE_SSL": True,
        "EMAIL_USE_TLS": False,
        "EMAIL_TIMEOUT": 20,
    }
    assert mail.settings_for(None) == {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
