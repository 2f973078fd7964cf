"""Who sent a request, as far as the limits need to know: a network address, which is stored nowhere."""

from __future__ import annotations

import hashlib
import ipaddress

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone


def sender_of(request: HttpRequest) -> str:
    """The address that sent a request, of IPv6 its /64, which is what one household has.

    Behind `TRUSTED_PROXIES` of our own, the address is the one that the outermost of them saw.
    """
    seen = request.META.get("REMOTE_ADDR", "")
    if settings.TRUSTED_PROXIES:
        forwarded = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
        if len(forwarded) >= settings.TRUSTED_PROXIES:
            seen = forwarded[-settings.TRUSTED_PROXIES]
    try:
        address = ipaddress.ip_address(seen)
    except ValueError:
        return seen[:100]
    if address.version == 6:
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def sender_digest(address: str) -> bytes:
    """16 bytes that stand for an address today, and can not be joined with tomorrow's: the salt is the day's."""
    salt = hashlib.blake2b(f"{timezone.now():%Y-%m-%d}".encode(), key=settings.SECRET_KEY.encode()[:64]).digest()
    return hashlib.blake2b(address.encode(), key=salt[:64], digest_size=16).digest()


def sender_today(request: HttpRequest) -> str:
    """The same of a request, in hexadecimal: by this those are told apart who try passwords."""
    return sender_digest(sender_of(request)).hex()
