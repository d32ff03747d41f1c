"""Docs/openapi.yaml against the relay: every exchange of these tests is checked with its schemas."""

import json
import os
import re

import cbor2
import pytest
import yaml
from client import CBOR, OCTETS, PROBLEM, Client, encode
from conftest import ROOT
from jsonschema import Draft202012Validator
from lockstep_writer.people import READER, WRITER
from openapi_spec_validator import validate
from vault import Vault

DOCUMENT = yaml.safe_load((ROOT / "Docs" / "openapi.yaml").read_text())
METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}


def operations():
    for path, item in DOCUMENT["paths"].items():
        for method in sorted(METHODS & item.keys()):
            yield path, method, item[method], item.get("parameters", [])


def resolved(thing):
    while "$ref" in thing:
        target = DOCUMENT
        for part in thing["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        thing = target
    return thing


def check(value, schema):
    """A CBOR value as the schemas see it: a byte string has one character for each byte."""

    def seen(value):
        if isinstance(value, bytes):
            return value.decode("latin-1")
        if isinstance(value, list):
            return [seen(one) for one in value]
        return value

    # References in a schema lead to the document's components.
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(seen(value))


def matching(method, target):
    path = target.partition("?")[0]
    for template, verb, operation, _ in operations():
        if verb == method.lower() and re.fullmatch(re.sub(r"\{\w+\}", "[0-9a-f]{64}", template), path):
            return operation
    raise AssertionError(f"{method} {target} is not described")


class Checked(Client):
    """A client that holds every request and answer against the document."""

    seen = set()

    def send(self, method, path, body=b"", headers=None, type=CBOR):
        operation = matching(method, path)
        signed = "Signature" in (headers or {})
        answer = super().send(method, path, body, headers, type)
        assert str(answer.status) in operation["responses"], (method, path, answer)
        assert answer.status >= 400 or signed == (operation.get("security") != [])
        Checked.seen.add((operation["operationId"], answer.status))
        if answer.status < 400 and body and type == CBOR:
            check(cbor2.loads(body), operation["requestBody"]["content"][CBOR]["schema"])
        elif answer.status < 400 and body:
            assert OCTETS in operation["requestBody"]["content"]
        response = resolved(operation["responses"][str(answer.status)])
        content = response.get("content", {})
        if answer.status == 204:
            assert not content and not answer.body
            return answer
        assert answer.headers["content-type"] in content, (method, path, answer)
        if answer.headers["content-type"] == CBOR:
            check(answer.value, content[CBOR]["schema"])
        if answer.headers["content-type"] == PROBLEM:
            check(json.loads(answer.body), content[PROBLEM]["schema"])
            assert f"`{answer.code}`" in response["description"], (answer, response)
        return answer


def test_the_document_is_valid_openapi():
    validate(DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1")


@pytest.mark.parametrize("path,method,parameters", [pytest.param(p, m, q + o.get("parameters", []), id=o["operationId"]) for p, m, o, q in operations()])
def test_every_path_described_is_there_with_exactly_its_methods(relay, path, method, parameters):
    target = re.sub(r"\{\w+\}", os.urandom(32).hex(), path)
    described = {verb.upper() for verb in METHODS & DOCUMENT["paths"][path].keys()}
    wrong = Client(relay).send("PATCH", target)
    assert wrong.code == "method"
    assert set(wrong.headers["allow"].split(", ")) == described
    answer = Client(relay).send(method.upper(), target, b"\x81\x01" if method in ("put", "post") else b"")
    assert answer.status not in (405, 500)
    # Each parameter of the query is known, and no other is.
    queries = {resolved(one)["name"] for one in parameters if resolved(one)["in"] == "query"}
    for name in {"from", "since", "limit", "wait", "chain", "checkpoints"}:
        answer = Client(relay).send(method.upper(), f"{target}?{name}=1", b"\x81\x01" if method in ("put", "post") else b"")
        is_known = not (answer.status == 400 and "query" in json.loads(answer.body)["detail"])
        assert is_known == (name in queries), (name, answer)


def test_every_exchange_is_as_described(make_relay):
    relay = make_relay()
    vault = Vault(relay)
    vault.client = client = Checked(relay)
    client.send("GET", "/healthz")
    vault.register()
    token = relay.invite().strip()
    vault.incarnation = vault.register(token).value[1]
    vault.register(token)
    bob, carol = vault.join("bob", WRITER), vault.join("carol", READER)
    exchange_chain_and_keyrings(vault, client, bob)
    exchange_records(vault, bob, carol)
    exchange_letters(vault, client)
    vault.chain.position = (vault.incarnation, 0)
    vault.grow(lambda chain: chain.revoke(vault.alice, [vault.alice, carol], [vault.paper], removed=[bob]))
    vault.get("/changes", bob)
    client.send("GET", vault.path + "/changes")
    client.signed("GET", vault.path + "/changes", vault.alice, created=1)
    Vault.get(Vault(relay), "/chain", client=client)
    described = {operation["operationId"] for _, _, operation, _ in operations()}
    succeeded = {name for name, status in Checked.seen if status < 400}
    assert succeeded == described


def exchange_chain_and_keyrings(vault, client, bob):
    vault.get("/chain")
    vault.get("/chain?from=1")
    vault.append(vault.chain.entries[-1], os.urandom(32))
    vault.append(vault.chain.copy().add_device(vault.device("eve"), READER, vault.alice).entries[-1], os.urandom(32))
    ring = encode([1, 1, vault.chain.vault, 1, bob.id, 1, os.urandom(24), os.urandom(200)])
    client.signed("POST", vault.path + "/keyrings", vault.alice, encode([1, [ring]]))
    client.signed("POST", vault.path + "/keyrings", vault.alice, encode([1, [b"\x00"]]))
    vault.get("/keyrings")
    client.send("GET", f"/v1/recovery/{vault.paper.locator.hex()}")
    client.send("GET", f"/v1/recovery/{os.urandom(32).hex()}")


def exchange_records(vault, bob, carol):
    tombstone = vault.record()
    slot, sequence = vault.store(tombstone)
    vault.push(
        [slot, 0, 0, vault.record()], [os.urandom(32), 5, 0, vault.record()], [os.urandom(32), 0, 0, vault.record(bob)],
        [slot, sequence, 1, vault.purge(slot, sequence, tombstone)], [os.urandom(32), 0, 0, vault.record()],
    )  # fmt: skip
    vault.push([os.urandom(32), 0, 0, vault.record(carol)], device=carol)
    vault.push(incarnation=bytes(16))
    vault.publish()
    vault.publish(vault.checkpoint(bob))
    vault.get("/changes")
    vault.get("/changes?since=0&limit=1")
    vault.get("/changes?since=9&wait=0&chain=1&checkpoints=0")


def exchange_letters(vault, client):
    name = os.urandom(32)
    vault.request_pairing(name, b"early")
    vault.mailbox("PUT", name)
    vault.mailbox("PUT", name)
    vault.get(f"/mailboxes/{name.hex()}/request")
    vault.request_pairing(name, b"request")
    vault.request_pairing(name, b"other")
    vault.request_pairing(name, bytes(5000))
    vault.get(f"/mailboxes/{name.hex()}/request?wait=5")
    client.send("GET", f"/v1/mailboxes/{name.hex()}/answer")
    vault.answer_pairing(name, b"answer")
    client.send("GET", f"/v1/mailboxes/{name.hex()}/answer?wait=5")
    vault.mailbox("DELETE", name)
    vault.mailbox("DELETE", name)
