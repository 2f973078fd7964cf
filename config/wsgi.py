"""The door through which a web server calls Corrigenda, always under the web role."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ["CORRIGENDA_ROLE"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
