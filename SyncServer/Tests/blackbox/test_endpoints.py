"""Every endpoint, its answers and its refusals."""

import os

from client import Client
from lockstep_reader.notation import H
from lockstep_writer.people import ADMIN, READER, WRITER, Device
from vault import Vault


def listing_digest(slots):
    total = sum(int.from_bytes(H("lockstep/listing/1", slot, sequence), "little") for slot, sequence in slots)
    return (total % 2**256).to_bytes(32, "little")


def keyring(vault, recipient, epoch=1, kind=1):
    from client import encode

    return encode([1, kind, vault.chain.vault, epoch, recipient, 1, os.urandom(24), os.urandom(200)])


def test_push_is_compare_and_swap(vault):
    slot, first, second = os.urandom(32), vault.record(), vault.record()
    push = lambda base, record: vault.push([slot, base, 0, record]).value[1][0]  # noqa: E731
    assert push(4, first) == [2]
    assert push(0, first) == [0, 1]
    assert push(0, first) == [0, 1]
    assert push(0, second) == [1, 1, first]
    assert push(1, second) == [0, 2]
    assert push(1, first) == [1, 2, second]


def test_a_record_is_refused_for_author_epoch_role_and_form(vault):
    bob, carol = vault.join("bob", WRITER), vault.join("carol", READER)
    answers = vault.push(
        [os.urandom(32), 0, 0, vault.record(bob)],
        [os.urandom(32), 0, 0, vault.record(epoch=7)],
        [os.urandom(32), 0, 0, b"\x01"],
        [os.urandom(32), 0, 0, vault.record()],
    ).value[1]
    assert answers == [[3, "author"], [3, "epoch"], [3, "malformed"], [0, 1]]
    assert vault.push([os.urandom(32), 0, 0, vault.record(carol)], device=carol).value[1] == [[3, "role"]]
    assert vault.push([os.urandom(32), 0, 0, vault.record()], incarnation=bytes(16)).code == "incarnation"


def test_a_purge_replaces_exactly_the_tombstone_that_it_names(vault):
    tombstone = vault.record()
    slot, sequence = vault.store(tombstone)
    purge = vault.purge(slot, sequence, tombstone)
    assert vault.push([slot, sequence, 1, vault.purge(slot, sequence, b"another")]).value[1] == [[3, "malformed"]]
    assert vault.push([slot, sequence, 1, purge]).value[1] == [[0, 2]]
    page = vault.get("/changes").value
    assert page[2] == [[slot, 2, 1, purge]]
    assert page[6][0] == bytes(32)
    assert vault.push([slot, sequence, 0, vault.record()]).value[1] == [[2]]
    assert vault.push([slot, 0, 0, tombstone]).value[1] == [[0, 3]]


def test_a_batch_has_a_thousand_records_at_most(vault):
    items = [[os.urandom(32), 0, 0, vault.record(size=10)] for _ in range(1001)]
    assert vault.push(*items).code == "malformed"
    assert vault.push(*items[:1000]).value[1] == [[0, number] for number in range(1, 1001)]
    large = [[os.urandom(32), 0, 0, vault.record(size=3 << 20)] for _ in range(3)]
    assert vault.push(*large).code == "too-large"
    assert vault.get("/changes?since=1000").value[4] == 1000


def test_a_record_may_have_16_mib(vault):
    overhead = len(vault.record(size=1 << 20)) - (1 << 20)
    record = vault.record(size=(16 << 20) - overhead)
    assert len(record) == 16 << 20
    slot, sequence = vault.store(record)
    assert vault.get("/changes").value[2] == [[slot, sequence, 0, record]]


def test_changes_come_in_pages_with_a_digest_at_the_end(vault):
    slots = dict(vault.store() for _ in range(9))
    moved = next(iter(slots))
    slots[moved] = vault.store(slot=moved, base=slots[moved])[1]
    since, seen = 0, []
    while True:
        _, incarnation, changes, more, head, length, last = vault.get(f"/changes?since={since}&limit=4").value
        assert (incarnation, head, length) == (vault.incarnation, 10, 1)
        seen += [(slot, sequence) for slot, sequence, _, _ in changes]
        since = seen[-1][1]
        assert more == (last is None)
        if not more:
            break
    assert [sequence for _, sequence in seen] == list(range(2, 11))
    assert dict(seen) == slots
    assert last == [listing_digest(seen), 0, [], 0]


def test_checkpoints_replace_their_authors_and_are_counted(vault):
    bob = vault.join("bob", READER)
    mine, bobs = vault.checkpoint(), vault.checkpoint(bob)
    for checkpoint, device in ((vault.checkpoint(), vault.alice), (mine, vault.alice), (bobs, bob)):
        assert vault.publish(checkpoint, device).value == [1]
    last = vault.get("/changes").value[6]
    assert sorted(last[2]) == sorted([mine, bobs]) and last[3] == 3
    assert vault.publish(bobs).code == "malformed"
    vault.incarnation = bytes(16)
    assert vault.publish().code == "incarnation"


def test_the_chain_grows_by_compare_and_swap(vault):
    bob = vault.device("bob")
    head = vault.chain.head
    vault.chain.add_device(bob, WRITER, vault.alice)
    entry = vault.chain.entries[-1]
    assert vault.append(entry, os.urandom(32)).code == "chain-moved"
    ring = keyring(vault, bob.id)
    assert vault.append(entry, head, keyrings=[ring]).value == [1, 1]
    assert vault.append(entry, head, keyrings=[ring]).value == [1, 1]
    other = vault.chain.copy().add_device(vault.device("eve"), READER, vault.alice)
    assert vault.append(other.entries[-1], head).code == "chain-moved"
    assert vault.get("/chain").value == [1, vault.chain.entries, 2]
    assert vault.get("/chain?from=1", bob).value == [1, vault.chain.entries[1:], 2]
    assert vault.get("/chain?from=9").value == [1, [], 2]
    assert vault.get("/keyrings").value == [1, [ring], None]


def test_entries_that_break_the_chains_rules_are_refused(vault):
    bob = vault.join("bob", WRITER)
    chain = vault.chain.copy()
    chain.add_device(vault.device("eve"), ADMIN, bob)
    assert vault.append(chain.entries[-1], vault.chain.head, bob).code == "role"
    chain = vault.chain.copy()
    chain.add_device(bob, READER, vault.alice)
    assert vault.append(chain.entries[-1], vault.chain.head).code == "malformed"
    chain = vault.chain.copy()
    eve = vault.device("eve")
    chain.add_device(eve, READER, Device("an admin of nothing"))
    assert vault.append(chain.entries[-1], vault.chain.head).code == "malformed"
    assert vault.append(chain.entries[-1], vault.chain.head, eve).code == "malformed"
    assert vault.get("/chain").value[2] == 2


def test_a_revocation_shuts_a_device_out_of_everything_but_the_chain(vault):
    bob = vault.join("bob", WRITER)
    _, sequence = vault.store(vault.record(bob), device=bob)
    revoke = lambda chain: chain.revoke(vault.alice, [vault.alice], [vault.paper], removed=[bob])  # noqa: E731
    before = vault.chain.copy()
    vault.chain.position = (vault.incarnation, sequence - 1)
    assert vault.grow(revoke).code == "feed-moved"
    vault.chain = before.copy()
    vault.chain.position = (bytes(16), sequence)
    assert vault.grow(revoke).code == "incarnation"
    vault.chain = before.copy()
    vault.chain.position = (vault.incarnation, sequence)
    assert vault.grow(revoke).value == [1, 2]
    for what in ("/changes", "/keyrings"):
        assert (vault.get(what, bob).status, vault.get(what, bob).code) == (403, "revoked")
    assert vault.push([os.urandom(32), 0, 0, vault.record(bob)], device=bob).code == "revoked"
    assert vault.publish(device=bob).code == "revoked"
    assert vault.get("/chain", bob).value[2] == 3
    assert vault.push([os.urandom(32), 0, 0, vault.record(epoch=1)]).value[1] == [[3, "epoch"]]
    assert vault.push([os.urandom(32), 0, 0, vault.record(epoch=2)]).value[1] == [[0, 2]]


def test_an_entry_that_the_relay_lost_is_appended_again_whatever_it_says_of_the_feed(vault):
    bob = vault.join("bob", WRITER)
    vault.chain.position = (os.urandom(16), 999)
    answer = vault.grow(lambda chain: chain.revoke(vault.alice, [vault.alice], [vault.paper], removed=[bob]), repair=True)
    assert answer.value == [1, 2]


def test_a_recovered_device_signs_its_own_admission(vault):
    phone, head = vault.device("phone"), vault.chain.head
    assert vault.get("/chain", phone).code == "not-a-device"
    vault.chain.add_device(phone, ADMIN, vault.paper)
    assert vault.append(vault.chain.entries[-1], head, phone).value == [1, 1]
    assert vault.get("/changes", phone).status == 200


def test_a_replaced_device_is_told_so_and_its_successor_goes_on(vault):
    bob = vault.join("bob", WRITER)
    bob2 = vault.device("bob again")
    assert vault.grow(lambda chain: chain.replace(bob, bob2), bob2).value == [1, 2]
    assert vault.get("/changes", bob).code == "revoked"
    vault.store(vault.record(bob2), device=bob2)


def test_recovery_finds_vault_chain_and_keyrings(vault):
    from client import encode

    rings = [keyring(vault, vault.paper.id), keyring(vault, vault.paper.id, kind=3), keyring(vault, vault.alice.id)]
    body = encode([1, rings])
    assert vault.client.signed("POST", vault.path + "/keyrings", vault.alice, body).value == [1]
    path = f"/v1/recovery/{vault.paper.locator.hex()}"
    answer = Client(vault.relay).send("GET", path)
    assert answer.value == [1, vault.chain.vault, vault.incarnation, vault.chain.entries, 1, rings[:2]]
    assert Client(vault.relay).send("GET", path + "?from=1").value[3] == []


def test_keyrings_go_to_recipients_of_the_chain_alone(vault):
    from client import encode

    def put(*rings):
        return vault.client.signed("POST", vault.path + "/keyrings", vault.alice, encode([1, list(rings)]))

    first = keyring(vault, vault.alice.id)
    assert put(first).status == 200
    assert put(keyring(vault, vault.alice.id)).status == 200
    assert vault.get("/keyrings").value == [1, [first], None]
    assert put(keyring(vault, os.urandom(32))).code == "malformed"
    assert put(keyring(vault, vault.alice.id, epoch=2)).code == "malformed"
    other = Vault(vault.relay)
    assert put(keyring(other, vault.alice.id)).code == "malformed"


def test_a_pairing_passes_through_a_mailbox(vault):
    name = os.urandom(32)
    client = Client(vault.relay)
    assert vault.request_pairing(name, b"request").code == "not-found"
    assert vault.mailbox("PUT", name).value == [1]
    assert vault.get(f"/mailboxes/{name.hex()}/request").status == 204
    assert vault.request_pairing(name, b"request").status == 204
    assert vault.request_pairing(name, b"request").status == 204
    assert vault.request_pairing(name, b"another").code == "exists"
    assert vault.get(f"/mailboxes/{name.hex()}/request").body == b"request"
    assert client.send("GET", f"/v1/mailboxes/{name.hex()}/answer").status == 204
    assert vault.answer_pairing(name, b"answer").status == 204
    answer = client.send("GET", f"/v1/mailboxes/{name.hex()}/answer")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"answer", "application/octet-stream")
    assert vault.mailbox("DELETE", name).status == 204
    assert client.send("GET", f"/v1/mailboxes/{name.hex()}/answer").code == "not-found"


def test_mailboxes_are_an_admins_and_sixteen_at_most(vault):
    bob = vault.join("bob", WRITER)
    assert vault.mailbox("PUT", os.urandom(32), bob).code == "role"
    for _ in range(16):
        assert vault.mailbox("PUT", os.urandom(32)).status == 201
    answer = vault.mailbox("PUT", os.urandom(32))
    assert (answer.status, answer.code) == (429, "busy")
    assert int(answer.headers["retry-after"]) > 0


def test_a_full_vault_says_quota_and_keeps_what_it_has(make_relay):
    relay = make_relay("--open-registration", "--vault-quota", "1")
    vault = Vault.registered(relay)
    _, sequence = vault.store(vault.record(size=900_000))
    assert vault.push([os.urandom(32), 0, 0, vault.record(size=300_000)]).value[1] == [[3, "quota"]]
    assert vault.publish(vault.checkpoint(size=300_000)).code == "quota"
    vault.store()
    assert vault.get("/changes").value[4] == sequence + 1
