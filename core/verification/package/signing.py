"""Sign an evidence package with a person's own key (Ed25519), and check who signed one."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BadInput
from core.files import read_bounded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALGORITHM = "Ed25519"
MAX_KEY = 20_000
"""Bytes of a file with a key."""
_MAKE_ONE = "make one with: openssl genpkey -algorithm ed25519 -out key.pem"


@dataclass(frozen=True)
class Signature:
    """A signature and its key: 64 and 32 bytes."""

    key: bytes
    signature: bytes

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the key in hex. Compare it with the one that the signer gave you."""
        return hashlib.sha256(self.key).hexdigest()

    def signs(self, package: bytes) -> bool:
        """Say whether this is the key's signature of a list of digests."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(self.signature, _signed(package))
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """A person's private key. It is never written anywhere."""

    private: Ed25519PrivateKey

    def sign(self, package: bytes) -> Signature:
        """Return the signature of a list of digests."""
        return Signature(self.private.public_key().public_bytes_raw(), self.private.sign(_signed(package)))


def _signed(package: bytes) -> bytes:
    """Return the bytes that are signed: no other program signs such a text by accident."""
    return f"Veridesk evidence package\n{hashlib.sha256(package).hexdigest()}\n".encode()


def signing_key(content: bytes, name: str) -> SigningKey:
    """Return the private key in a PEM file. Raises BadInput if it holds none, or one with a password."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(content, None)
    except TypeError as error:
        raise BadInput(f"{name} is protected by a password: give a key without one.") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadInput(f"{name} holds no private key in PEM; {_MAKE_ONE}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput(f"{name} is no Ed25519 key; {_MAKE_ONE}")
    return SigningKey(key)


def signing_key_in(path: Path) -> SigningKey:
    """Return the private key of a file. Raises as `signing_key`, and if the file cannot be read."""
    return signing_key(read_bounded(path, MAX_KEY), str(path))


def public_key_in(path: Path) -> bytes:
    """Return the 32 bytes of the public key in a PEM file. Raises BadInput if it holds none."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(read_bounded(path, MAX_KEY))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadInput(
            f"{path} holds no public key in PEM; write it with: openssl pkey -in key.pem -pubout -out public.pem"
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(f"{path} is no Ed25519 key: packages are signed with such keys.")
    return key.public_bytes_raw()


def signature_json(signature: Signature) -> dict[str, str]:
    """Return a signature as it is written beside the digest."""
    key, signed = (base64.b64encode(value).decode() for value in (signature.key, signature.signature))
    return {"algorithm": ALGORITHM, "publicKey": key, "signature": signed}


def signature_from_json(value: Any) -> Signature | None:
    """Return the signature that `signature_json` wrote; None for anything else."""
    try:
        found = Signature(*(base64.b64decode(value[name], validate=True) for name in ("publicKey", "signature")))
    except (KeyError, TypeError, ValueError):
        return None
    return found if signature_json(found) == value else None
