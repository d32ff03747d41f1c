"""What comes in over the wire before any signature counts."""

import os
import random
import socket

import pytest
from client import CBOR, OCTETS, Client, encode, signature_headers
from vault import Vault

ID = "ab" * 32


def raw(relay, *pieces, read=True):
    """Sends bytes as they are; what comes back until the relay closes."""
    with socket.create_connection((relay.host, relay.port), timeout=90) as connection:
        for piece in pieces:
            try:
                connection.sendall(piece if isinstance(piece, bytes) else piece.encode())
            except OSError:
                break
        if not read:
            return b""
        answer = b""
        try:
            while chunk := connection.recv(65536):
                answer += chunk
        except ConnectionResetError:
            pass
        return answer


def test_healthz(relay):
    answer = Client(relay).send("GET", "/healthz")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"ok\n", "text/plain")


@pytest.mark.parametrize(
    "method,path,status,code",
    [
        ("GET", "/", 404, "not-found"),
        ("GET", "/v1/vaults/" + ID + "/secrets", 404, "not-found"),
        ("GET", "/v1/vaults/" + ID + "/changes/", 404, "not-found"),
        ("GET", "//healthz", 404, "not-found"),
        ("GET", "/healthz/..", 404, "not-found"),
        ("GET", "/v1/vaults/" + ID.upper() + "/changes", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID[:-1] + "/changes", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "ab/changes", 400, "malformed"),
        ("GET", "/v1/vaults/%61" + ID[1:] + "/changes", 400, "malformed"),
        ("GET", "/v1/recovery/" + "g" * 64, 400, "malformed"),
        ("GET", "/healthz?verbose=1", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "/changes?since=0x10", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "/changes?since=1&since=1", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "/changes?since=99999999999999999999", 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "/changes?" + "a" * 2000, 400, "malformed"),
        ("GET", "/v1/vaults/" + ID + "/changes", 401, "signature"),
        ("POST", "/healthz", 405, "method"),
        ("PUT", "/v1/vaults", 405, "method"),
        ("DELETE", "/v1/vaults/" + ID + "/records", 405, "method"),
        ("PATCH", "/v1/vaults/" + ID + "/chain", 405, "method"),
        ("GET", "/v1/recovery/" + ID, 404, "not-found"),
        ("GET", "/v1/mailboxes/" + ID + "/answer", 404, "not-found"),
    ],
)
def test_paths_methods_and_queries_of_another_form_are_problems(relay, method, path, status, code):
    answer = Client(relay).send(method, path)
    assert (answer.status, answer.code) == (status, code)
    assert ("allow" in answer.headers) == (status == 405)


def test_an_invite_registers_one_vault(make_relay):
    relay = make_relay()
    vault, other = Vault(relay), Vault(relay)
    assert (vault.register().status, vault.register().code) == (403, "invite")
    token = relay.invite("--uses", "1", "--expires", "1h").strip()
    assert vault.register(token[::-1]).code == "invite"
    assert vault.register(token).status == 201
    assert vault.register(token).status == 200
    assert other.register(token).code == "invite"
    two = relay.invite("--uses", "2").strip()
    assert other.register(two.lower()).status == 201
    assert Vault(relay).register(two).status == 201
    assert Vault(relay).register(two).code == "invite"


def test_invites_survive_a_restart(make_relay):
    relay = make_relay()
    token = relay.invite().strip()
    assert relay.stop() == 0
    relay.restart()
    assert Vault(relay).register(token).status == 201


def test_a_body_that_is_announced_too_large_is_refused_before_it_comes(relay):
    for length in (21 << 20, 1 << 40, 10**30):
        answer = raw(relay, f"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Type: {CBOR}\r\nContent-Length: {length}\r\n\r\n")
        assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400")), (length, answer[:100])
    path = f"/v1/mailboxes/{ID}/request"
    answer = raw(relay, f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {OCTETS}\r\nContent-Length: 4097\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413") and b"urn:lockstep:problem:too-large" in answer
    assert relay.alive()


@pytest.mark.parametrize("length", ["-1", "1x", "", "0x10", "+5", "1, 2"])
def test_a_length_that_is_no_number_is_refused(relay, length):
    answer = raw(relay, f"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Type: {CBOR}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer[:100]


def test_a_chunked_body_is_refused(relay):
    answer = raw(relay, f"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Type: {CBOR}\r\nTransfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n" * 10)
    assert answer.startswith(b"HTTP/1.1 400") and b"malformed" in answer


def test_get_with_a_body_is_refused(relay):
    answer = Client(relay).send("GET", "/healthz", b"body")
    assert answer.code == "malformed"


@pytest.mark.parametrize("type", ["text/plain", "application/json", "application/cbor; charset=utf-8", OCTETS])
def test_a_body_of_another_type_is_refused(vault, type):
    body = encode([1, vault.incarnation, []])
    answer = vault.client.signed("POST", vault.path + "/records", vault.alice, body, type)
    assert answer.code == "malformed"


@pytest.mark.parametrize("name", ["Signature", "Signature-Input", "Content-Digest", "Host", "Content-Type"])
def test_a_header_that_stands_twice_is_refused(vault, relay, name):
    body = encode([1, vault.incarnation, []])
    path = vault.path + "/records"
    headers = {"Host": f"{relay.host}:{relay.port}", "Content-Type": CBOR, "Content-Length": str(len(body)), "Connection": "close"}
    headers |= signature_headers("POST", relay.address + path, body, vault.alice)
    lines = [f"{key}: {value}" for key, value in headers.items()]
    head = lambda lines: f"POST {path} HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n"  # noqa: E731
    assert raw(relay, head(lines + [f"{name}: {headers[name]}"]), body).startswith(b"HTTP/1.1 4")
    assert raw(relay, head(lines), body).startswith(b"HTTP/1.1 200")


def test_garbage_on_the_wire_ends_a_connection_and_nothing_else(relay):
    generator = random.Random(1)
    for piece in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"\r\n" * 1000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(5000)) + b"\r\n",
        b"GET /health\x00z HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: \xff\xfe\r\nConnection: close\r\n\r\n",
        *(generator.randbytes(500) for _ in range(20)),
    ):
        with socket.create_connection((relay.host, relay.port), timeout=90) as connection:
            try:
                connection.sendall(piece)
            except OSError:
                pass
        assert relay.alive()
    assert Client(relay).send("GET", "/healthz").status == 200
    assert relay.stop() == 0


def test_connections_that_break_off_in_a_body_leave_nothing_behind(relay, vault):
    for _ in range(50):
        raw(relay, f"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Type: {CBOR}\r\nContent-Length: 1000000\r\n\r\n", os.urandom(5000), read=False)
        raw(relay, "GET /healthz HTTP/1.1\r\nHo", read=False)
    vault.store()
    # Requests that never came to their end do not hold up the relay's.
    assert relay.stop() == 0


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bodies_are_problems(vault, relay, seed):
    generator = random.Random(seed)
    mailbox = os.urandom(32)
    assert vault.mailbox("PUT", mailbox).status == 201
    bodies = [
        ("POST", "/v1/vaults", encode([1, None, vault.chain.entries[0], []])),
        ("POST", vault.path + "/records", encode([1, vault.incarnation, [[os.urandom(32), 0, 0, vault.record(size=8)]] * 3])),
        ("POST", vault.path + "/chain", encode([1, vault.chain.head, vault.chain.entries[0], [], False])),
        ("POST", vault.path + "/keyrings", encode([1, [os.urandom(300)]])),
        ("PUT", vault.path + "/checkpoint", encode([1, vault.incarnation, vault.checkpoint(size=10)])),
        ("PUT", f"{vault.path}/mailboxes/{mailbox.hex()}", encode([1])),
    ]
    for _ in range(300):
        method, path, body = generator.choice(bodies)
        body = bytearray(body)
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(len(body)) if body else 0
            kind = generator.randrange(4)
            if kind == 0 and body:
                body[at] = generator.randrange(256)
            elif kind == 1:
                del body[at:]
            elif kind == 2:
                body[at:at] = b"\x9b" + b"\xff" * 8
            else:
                body[at:at] = generator.randbytes(generator.randint(1, 9))
        answer = vault.client.signed(method, path, vault.alice, bytes(body))
        assert 200 <= answer.status < 500, (method, path, bytes(body).hex(), answer)
        if answer.status >= 400:
            assert answer.code
    assert relay.alive()


def test_many_uploads_at_once_are_bounded_in_memory(relay, vault):
    """Uploads that are begun and not finished hold memory; when they hold too much, the next one is told to come back."""
    size = 19 << 20
    sockets = []
    try:
        for _ in range(20):
            connection = socket.create_connection((relay.host, relay.port), timeout=90)
            sockets.append(connection)
            connection.sendall(f"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Type: {CBOR}\r\nContent-Length: {size}\r\n\r\n".encode())
            connection.sendall(bytes(size - 1))
        last = sockets[-1]
        last.sendall(b"\x00")
        answer = last.recv(65536)
        assert answer.startswith(b"HTTP/1.1 429"), answer[:200]
        assert b"Retry-After: " in answer
    finally:
        for connection in sockets:
            connection.close()
    # Memory is given back with the connections.
    from process import wait_until

    wait_until(lambda: vault.push([os.urandom(32), 0, 0, vault.record()]).status == 200, "the relay takes records again")
