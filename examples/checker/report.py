#!/usr/bin/env python3
"""Verifies a signed report about proven days, without Pulsekeep and without packages.

    report.py REPORT.ndjson JWKS.json

JWKS.json is the body of `GET /.well-known/jwks.json`, kept from an earlier day. Prints the head, and exits with 1 if the
lines are not those that were signed. The form is described in docs/audit-report.md.
"""
import base64
import hashlib
import json
import sys

# Ed25519 as in RFC 8032, section 5.1, with points as (x, y). Slow, and only for verification, where nothing is secret.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def x_of(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        raise ValueError("no point of the curve")
    return x if x % 2 == sign else P - x


def point(data):
    number = int.from_bytes(data, "little")
    y = number % 2**255
    if len(data) != 32 or y >= P:
        raise ValueError("no point of the curve")
    return x_of(y, number >> 255), y


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    twist = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + twist, P - 2, P) % P
    return x, (y1 * y2 + x1 * x2) * pow(1 - twist, P - 2, P) % P


def times(number, base):
    total = (0, 1)
    while number:
        if number & 1:
            total = add(total, base)
        base = add(base, base)
        number >>= 1
    return total


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y)


def is_signed(key, message, signature):
    try:
        given, public = point(signature[:32]), point(key)
    except ValueError:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    return len(signature) == 64 and scalar < ORDER and times(scalar, BASE) == add(given, times(challenge, public))


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def root_of(leaves):
    """RFC 9162, section 2.1.1."""
    level = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in leaves] or [hashlib.sha256(b"").digest()]
    while len(level) > 1:
        pairs = [level[at:at + 2] for at in range(0, len(level), 2)]
        level = [hashlib.sha256(b"\x01" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0].hex()


def verified(report_path, keys_path):
    """The head, or a sentence that says what is wrong."""
    lines = open(report_path, "rb").read().splitlines()
    try:
        jws = json.loads(lines[-1])["report"]
        header, payload, signature = jws.split(".")
        about, head = json.loads(decoded(header)), json.loads(decoded(payload))
    except (IndexError, KeyError, TypeError, ValueError):
        return "the last line is no signed head"
    if about.get("alg") != "EdDSA" or about.get("typ") != "pulsekeep-audit-report+jws":
        return "the last line is no signed head"
    keys = [key for key in json.load(open(keys_path, encoding="utf-8"))["keys"] if key["kid"] == about.get("kid")]
    if not keys:
        return "signed with another key"
    if not is_signed(decoded(keys[0]["x"]), f"{header}.{payload}".encode(), decoded(signature)):
        return "the signature is wrong"
    if head["leaves"] != len(lines) - 1 or head["root"] != root_of(lines[:-1]):
        return "the lines are not those that were signed"
    return head


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = verified(sys.argv[1], sys.argv[2])
    print(found if isinstance(found, str) else json.dumps(found, indent=2))
    return 1 if isinstance(found, str) else 0


if __name__ == "__main__":
    sys.exit(main())
