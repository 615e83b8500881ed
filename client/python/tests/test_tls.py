"""Tests TLS against a real sidecar."""

import socket
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import BINARY, RULES
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from reports import EVIDENCE, PROCEED_REPORT

import gsar
import gsar.aio
from gsar.server import Server

NOW = datetime.now(timezone.utc)


class Authority:
    """A certificate authority that writes signed certificates to a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
        self.certificate = self.write("ca", self.key, self.name, authority=True)

    def write(self, file: str, key: ec.EllipticCurvePrivateKey, name: x509.Name, *, authority: bool = False) -> Path:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - timedelta(hours=1))
            .not_valid_after(NOW + timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        )
        path = self.folder / f"{file}.pem"
        path.write_bytes(builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        return path

    def sign(self, file: str) -> tuple[str, str]:
        key = ec.generate_private_key(ec.SECP256R1())
        form = serialization.PrivateFormat.PKCS8
        path = self.folder / f"{file}.key"
        path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
        path.chmod(0o600)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, file)])
        return str(self.write(file, key, name)), str(path)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def endpoint(authority: Authority) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    certificate, key = authority.sign("server")
    tls = f'[tls]\ncertificate = "{certificate}"\nkey = "{key}"\nclient_ca = "{authority.certificate}"\n'
    with Server(RULES + tls, listen=[f"grpcs://127.0.0.1:{port}"], binary=BINARY):
        yield f"grpcs://localhost:{port}"


async def test_clients_connect_with_mutual_tls(
    endpoint: str, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = authority.sign("agent")
    ca = str(authority.certificate)
    with gsar.Client(endpoint, tls_ca=ca, tls_certificate=certificate, tls_key=key) as client:
        assert gsar.may_proceed(client.evaluate(PROCEED_REPORT, EVIDENCE))
    for name, path in {"CA": ca, "CERTIFICATE": certificate, "KEY": key}.items():
        monkeypatch.setenv(f"GSAR_TLS_{name}", path)
    async with gsar.aio.Client(endpoint) as client:
        assert gsar.may_proceed(await client.evaluate(PROCEED_REPORT, EVIDENCE))


def test_error_for_an_untrusted_peer_names_the_fix(endpoint: str, authority: Authority) -> None:
    with gsar.Client(endpoint) as client, pytest.raises(gsar.SidecarNotTrusted, match="check tls_ca"):
        client.is_serving()
    with (
        gsar.Client(endpoint, tls_ca=str(authority.certificate)) as client,
        pytest.raises(gsar.SidecarUnreachable),
    ):
        client.is_serving()


def test_rejects_unusable_files_and_settings() -> None:
    with pytest.raises(ValueError, match="tls_ca: /nowhere cannot be read: No such file or directory"):
        gsar.Client("grpcs://localhost:1", tls_ca="/nowhere")
    with pytest.raises(ValueError, match="tls_key: missing"):
        gsar.Client("grpcs://localhost:1", tls_certificate="/nowhere")
    with pytest.raises(ValueError, match="require TLS, but grpc://localhost:1 does not use it"):
        gsar.Client("grpc://localhost:1", tls_ca="/nowhere")
