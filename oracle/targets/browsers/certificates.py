"""A certificate for a page in the local network: browsers show WebGPU to pages of https only, or of localhost.

It is signed by nobody, made anew for each service, and never kept: the browser warns, and shows its fingerprint.
"""

import datetime
import ipaddress
import os
import ssl
import tempfile
from pathlib import Path

EXTRA = "pip install 'wgsl-fuzz[serve]'"
_DAYS = 30


class NoCertificate(Exception):
    """A certificate cannot be made; what to install."""


def self_signed(address: str) -> tuple[ssl.SSLContext, str]:
    """A context with a new certificate for an address, and its SHA-256 fingerprint. Raises NoCertificate."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError as error:
        raise NoCertificate(f"a page in the network needs a certificate: {EXTRA}") from error
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "wgsl-fuzz serve")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = _context(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return context, certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _context(pem: bytes) -> ssl.SSLContext:
    """A server's context; the standard library reads certificates from files only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    descriptor, path = tempfile.mkstemp()  # readable to this user only
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
        context.load_cert_chain(path)
    finally:
        Path(path).unlink()
    return context
