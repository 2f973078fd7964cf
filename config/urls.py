"""Every address of the site, by app."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/desk/", include("corrections.desk.urls")),
    path("admin/", admin.site.urls),
    path("", include("corrections.urls")),
    path("", include("archive.urls")),
]
handler400 = "archive.views.site.bad_request"
handler403 = "archive.views.site.forbidden"
handler404 = "archive.views.site.not_found"
handler500 = "archive.views.site.failed"
