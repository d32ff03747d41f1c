"""Who a request is from: RFC 9421 as Docs/RelayProtocol.md narrows it."""

import json
import os
import time

import pytest
from client import Client, encode, signature_headers
from lockstep_writer.people import READER, WRITER
from vault import Vault


def test_a_signed_request_is_answered_and_its_replay_is_not(vault):
    path = vault.path + "/changes"
    headers = signature_headers("GET", vault.relay.address + path, b"", vault.alice)
    assert vault.client.send("GET", path, headers=headers).status == 200
    again = vault.client.send("GET", path, headers=headers)
    assert (again.status, again.code) == (401, "replayed")


@pytest.mark.parametrize("missing", ["Signature", "Signature-Input", "Content-Digest"])
def test_a_missing_field_is_no_signature(vault, missing):
    path = vault.path + "/changes"
    headers = signature_headers("GET", vault.relay.address + path, b"", vault.alice)
    del headers[missing]
    assert vault.client.send("GET", path, headers=headers).code == "signature"


@pytest.mark.parametrize(
    "field,old,new",
    [
        ("Signature-Input", '"@method" ', ""),
        ("Signature-Input", '("@method" "@target-uri"', '("@target-uri" "@method"'),
        ("Signature-Input", ";alg", ";expires=99999999999;alg"),
        ("Signature-Input", "lockstep=", "sig1="),
        ("Signature-Input", 'alg="ed25519"', 'alg="hmac-sha256"'),
        ("Signature-Input", "created=", "created=0"),
        ("Signature-Input", '";keyid', 'ff";keyid'),
        ("Signature", "lockstep=:", "lockstep=:A"),
        ("Signature", ":", ""),
        ("Content-Digest", "sha-256", "sha-512"),
        ("Content-Digest", "=:", "=:A"),
    ],
)
def test_another_form_is_no_signature(vault, field, old, new):
    path = vault.path + "/changes"
    headers = signature_headers("GET", vault.relay.address + path, b"", vault.alice)
    assert old in headers[field]
    headers[field] = headers[field].replace(old, new, 1)
    answer = vault.client.send("GET", path, headers=headers)
    assert (answer.status, answer.code) == (401, "signature")


def test_a_signature_covers_method_target_and_body(vault):
    path, address = vault.path + "/records", vault.relay.address
    body = encode([1, vault.incarnation, []])
    for wrong in (
        {"sign_uri": address + vault.path + "/changes"},
        {"sign_uri": address.replace("http://", "https://") + path},
        {"sign_uri": "http://relay.example" + path},
        {"sign_uri": address + path + "?"},
        {"digest": "sha-256=:" + "A" * 43 + "=:"},
    ):
        assert vault.client.signed("POST", path, vault.alice, body, **wrong).code == "signature", wrong
    headers = signature_headers("PUT", address + path, body, vault.alice)
    assert vault.client.send("POST", path, body, headers).code == "signature"
    headers = signature_headers("POST", address + path, body, vault.alice)
    assert vault.client.send("POST", path, encode([1, bytes(16), []]), headers).code == "signature"
    assert vault.client.signed("POST", path, vault.alice, body).status == 200


def test_the_host_is_part_of_what_is_signed(vault):
    path = vault.path + "/changes"
    headers = signature_headers("GET", vault.relay.address + path, b"", vault.alice) | {"Host": "other.example"}
    assert vault.client.send("GET", path, headers=headers).code == "signature"
    headers = signature_headers("GET", "http://other.example" + path, b"", vault.alice) | {"Host": "Other.Example:80"}
    assert vault.client.send("GET", path, headers=headers).status == 200


def test_behind_a_proxy_the_public_address_is_what_is_signed(make_relay):
    relay = make_relay("--open-registration", "--public-url", "https://Vault.Example:443/relay/")
    vault = Vault(relay)
    body = encode([1, None, vault.chain.entries[0], []])
    assert vault.client.signed("POST", "/v1/vaults", vault.alice, body).code == "signature"
    assert vault.client.signed("POST", "/v1/vaults", vault.alice, body, sign_uri="https://vault.example/relay/v1/vaults").status == 201


@pytest.mark.parametrize("offset,accepted", [(0, True), (-290, True), (290, True), (-320, False), (320, False), (-(10**9), False), (10**15, False)])
def test_the_clock_may_be_five_minutes_off(vault, offset, accepted):
    answer = vault.client.signed("GET", vault.path + "/changes", vault.alice, created=int(time.time()) + offset)
    if accepted:
        assert answer.status == 200
    else:
        assert (answer.status, answer.code) == (401, "clock-skew")
        assert abs(json.loads(answer.body)["time"] / 1000 - time.time()) < 60


def test_a_stranger_and_another_vaults_device_are_not_devices_here(relay, vault):
    other = Vault.registered(relay)
    for device in (other.alice, vault.device("stranger")):
        for what in ("/chain", "/changes", "/keyrings"):
            answer = vault.get(what, device)
            assert (answer.status, answer.code) == (403, "not-a-device")
        assert vault.push([os.urandom(32), 0, 0, vault.record(device)], device=device).code == "not-a-device"
    assert vault.get("/changes").value[5] == 1


def test_a_device_that_claims_anothers_id_is_refused(vault):
    bob = vault.join("bob", WRITER)
    bob.id = vault.alice.id
    assert vault.get("/changes", bob).code == "signature"


def test_a_wrong_signature_does_not_use_up_a_nonce(vault):
    nonce = os.urandom(16).hex()
    bob = vault.join("bob", READER)
    forged = vault.device("mallory")
    forged.id = bob.id
    assert vault.client.signed("GET", vault.path + "/changes", forged, nonce=nonce).code == "signature"
    assert vault.client.signed("GET", vault.path + "/changes", bob, nonce=nonce).status == 200
    # Another device may have the same one.
    assert vault.client.signed("GET", vault.path + "/changes", vault.alice, nonce=nonce).status == 200


def test_unknown_vaults_are_not_found(relay, vault):
    other = Vault(relay)
    assert other.get("/changes").code == "not-found"
    assert other.push([os.urandom(32), 0, 0, other.record()], incarnation=bytes(16)).code == "not-found"


def test_open_endpoints_need_no_signature(relay, vault):
    client = Client(relay)
    answer = client.send("GET", f"/v1/recovery/{vault.paper.locator.hex()}")
    assert answer.value == [1, vault.chain.vault, vault.incarnation, vault.chain.entries, 1, []]
