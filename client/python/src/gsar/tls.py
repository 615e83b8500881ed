"""The files of TLS, as credentials of grpcio."""

import os
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True)
class TlsFiles:
    """PEM files: authorities that are trusted, and the client's own certificate with its key."""

    ca: str = ""
    certificate: str = ""
    key: str = ""

    def with_environment(self) -> "TlsFiles":
        """What is not named is taken from `GSAR_TLS_CA`, `GSAR_TLS_CERTIFICATE` and `GSAR_TLS_KEY`."""
        return TlsFiles(
            self.ca or os.environ.get("GSAR_TLS_CA", ""),
            self.certificate or os.environ.get("GSAR_TLS_CERTIFICATE", ""),
            self.key or os.environ.get("GSAR_TLS_KEY", ""),
        )


def _read(name: str, path: str) -> bytes | None:
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{name}: {path} cannot be read: {error.strerror}; name a PEM file") from error


def _authorities_of_the_system() -> bytes | None:
    authorities = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, authorities)).encode() or None


def credentials(files: TlsFiles) -> grpc.ChannelCredentials:
    """Credentials for a `grpcs://` endpoint."""
    if bool(files.certificate) != bool(files.key):
        missing = "tls_key" if files.certificate else "tls_certificate"
        raise ValueError(f"{missing}: is missing; a client's certificate and its key go together")
    return grpc.ssl_channel_credentials(
        root_certificates=_read("tls_ca", files.ca) or _authorities_of_the_system(),
        private_key=_read("tls_key", files.key),
        certificate_chain=_read("tls_certificate", files.certificate),
    )
