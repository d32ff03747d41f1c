"""Asks an agent over its socket, as Docs/AgentProtocol.md describes it: one question where the command line needs many."""

import socket
import struct

import cbor2


def framed(message: bytes) -> bytes:
    return struct.pack(">I", len(message)) + message


def request(operation: str, arguments: dict) -> bytes:
    return framed(cbor2.dumps([1, operation, arguments], canonical=True))


def answer(client: socket.socket) -> list:
    """The next message."""
    (length,) = struct.unpack(">I", receive(client, 4))
    return cbor2.loads(receive(client, length))


def receive(client: socket.socket, count: int) -> bytes:
    content = b""
    while len(content) < count:
        piece = client.recv(count - len(content))
        assert piece, "the agent ended the connection"
        content += piece
    return content


def ask(path, operation: str, arguments: dict) -> tuple[dict, list]:
    """The result of a request that succeeds, and the items that came before it."""
    items = []
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(str(path))
        client.sendall(request(operation, arguments))
        while True:
            version, kind, content = answer(client)
            assert version == 1
            if kind == "items":
                items += content
            elif kind != "event":
                assert kind == 0, content
                return content, items + content.get("items", [])


def secrets(path) -> dict[str, bytes]:
    """Service → secret of every item."""
    _, items = ask(path, "find", {"class": 1, "with-secret": True})
    assert not any(item.get("locked") for item in items)
    return {item["attributes"]["svce"]: item["secret"] for item in items}
