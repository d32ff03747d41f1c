"""HTTP as Docs/RelayProtocol.md describes it, spoken by hand: every header and every byte is the test's."""

import base64
import hashlib
import http.client
import json
import os
import time
from dataclasses import dataclass

import cbor2
import nacl.bindings as sodium

CBOR, OCTETS, PROBLEM = "application/cbor", "application/octet-stream", "application/problem+json"


def encode(value):
    return cbor2.dumps(value, canonical=True)


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def value(self):
        """The CBOR of the answer: deterministic, version 1."""
        assert self.headers["content-type"] == CBOR, self
        value = cbor2.loads(self.body)
        assert encode(value) == self.body
        assert value[0] == 1
        return value

    @property
    def code(self):
        """The code of a problem, whose form is checked on the way."""
        assert self.headers["content-type"] == PROBLEM, self
        problem = json.loads(self.body)
        assert problem["status"] == self.status
        assert problem["title"] and problem["detail"]
        prefix = "urn:lockstep:problem:"
        assert problem["type"].startswith(prefix)
        return problem["type"].removeprefix(prefix)


def content_digest(body):
    return "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"


def signature_headers(method, uri, body, device, created=None, nonce=None, sign_uri=None, digest=None):
    """RFC 9421 by the text of Docs/RelayProtocol.md. What a test wants wrong, it passes."""
    created = int(time.time()) if created is None else created
    nonce = nonce or os.urandom(16).hex()
    digest = digest or content_digest(body)
    parameters = f'("@method" "@target-uri" "content-digest");created={created};nonce="{nonce}";keyid="{device.id.hex()}";alg="ed25519"'
    base = f'"@method": {method}\n"@target-uri": {sign_uri or uri}\n"content-digest": {digest}\n"@signature-params": {parameters}'
    _, secret = sodium.crypto_sign_seed_keypair(device.push_seed)
    signature = sodium.crypto_sign(base.encode(), secret)[:64]
    return {
        "Content-Digest": digest,
        "Signature-Input": "lockstep=" + parameters,
        "Signature": "lockstep=:" + base64.b64encode(signature).decode() + ":",
    }


class Client:
    """One connection to a relay, made again when the relay closed it."""

    def __init__(self, relay, timeout=90):
        self.relay = relay
        self.timeout = timeout
        self.connection = None

    def send(self, method, path, body=b"", headers=None, type=CBOR):
        headers = dict(headers or {})
        if method in ("POST", "PUT"):
            headers.setdefault("Content-Type", type)
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.relay.host, self.relay.port, timeout=self.timeout)
        try:
            self.connection.request(method, path, body=body or None, headers=headers)
            response = self.connection.getresponse()
            answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        except Exception:
            self.close()
            raise
        if response.will_close:
            self.close()
        return answer

    def signed(self, method, path, device, body=b"", type=CBOR, **wrong):
        headers = signature_headers(method, self.relay.address + path, body, device, **wrong)
        return self.send(method, path, body, headers, type)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
