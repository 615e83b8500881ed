"""TLS credentials."""

import os
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc


@dataclass(frozen=True)
class TlsFiles:
    """PEM files: the trusted authorities, the client's certificate and its key."""

    ca: str = ""
    certificate: str = ""
    key: str = ""

    def with_environment(self) -> "TlsFiles":
        """Fills in missing files from `GSAR_TLS_CA`, `GSAR_TLS_CERTIFICATE` and `GSAR_TLS_KEY`."""
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
        raise ValueError(f"{name}: {path} cannot be read: {error.strerror}; expected a PEM file") from error


def _system_authorities() -> bytes | None:
    authorities = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, authorities)).encode() or None


def credentials(files: TlsFiles) -> grpc.ChannelCredentials:
    """Returns the grpcio credentials for a `grpcs://` endpoint."""
    if bool(files.certificate) != bool(files.key):
        missing = "tls_key" if files.certificate else "tls_certificate"
        raise ValueError(f"{missing}: missing; a client certificate and its key must be set together")
    return grpc.ssl_channel_credentials(
        root_certificates=_read("tls_ca", files.ca) or _system_authorities(),
        private_key=_read("tls_key", files.key),
        certificate_chain=_read("tls_certificate", files.certificate),
    )
