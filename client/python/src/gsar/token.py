"""The caller's token."""

import contextlib
import os
from pathlib import Path

Metadata = tuple[tuple[str, str], ...]


class TokenFile:
    """A file with a token, by default `GSAR_TOKEN_FILE`. It is read for each call, because issuers replace it."""

    def __init__(self, path: str = "") -> None:
        self._path = path or os.environ.get("GSAR_TOKEN_FILE", "")
        self._last = self._read() if self._path else ""

    def _read(self) -> str:
        try:
            token = Path(self._path).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not ASCII text"
            raise ValueError(
                f"token_file: {self._path} cannot be read: {reason}; expected a file with a token"
            ) from error
        if not token or not token.isprintable():
            raise ValueError(f"token_file: {self._path} contains no token; expected a file with a token")
        return token

    def metadata(self) -> Metadata | None:
        """Returns the metadata for a call. If the file is unreadable, uses the last token that was read."""
        if not self._path:
            return None
        with contextlib.suppress(ValueError):
            self._last = self._read()
        return (("authorization", f"Bearer {self._last}"),)
