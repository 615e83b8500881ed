"""The token with which a caller says who it is, read from its file at each call."""

import contextlib
import os
from pathlib import Path

Metadata = tuple[tuple[str, str], ...]


class TokenFile:
    """A file that holds a token; without one, `GSAR_TOKEN_FILE`. Its issuer replaces it before the token ends."""

    def __init__(self, path: str = "") -> None:
        self._path = path or os.environ.get("GSAR_TOKEN_FILE", "")
        self._last = self._read() if self._path else ""

    def _read(self) -> str:
        try:
            token = Path(self._path).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise ValueError(f"token_file: {self._path} cannot be read: {reason}; name a file with a token") from error
        if not token or not token.isprintable():
            raise ValueError(f"token_file: {self._path} holds no token; name a file with a token")
        return token

    def metadata(self) -> Metadata | None:
        """What to send with a call: the last token where the file has none at this moment."""
        if not self._path:
            return None
        with contextlib.suppress(ValueError):
            self._last = self._read()
        return (("authorization", f"Bearer {self._last}"),)
