"""What is kept out of the log."""

from __future__ import annotations

import logging
import re

_SECRET_PATH = re.compile(r"(/report/(?:status|confirm|unsubscribe)/)[^/\s?]+")


class WithoutSecrets(logging.Filter):
    """Takes the secret out of the address of a private page, wherever a line names one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line pass, without the secret."""
        if isinstance(record.args, tuple):
            record.args = tuple(_SECRET_PATH.sub(r"\1…", arg) if isinstance(arg, str) else arg for arg in record.args)
        if isinstance(record.msg, str):
            record.msg = _SECRET_PATH.sub(r"\1…", record.msg)
        return True
