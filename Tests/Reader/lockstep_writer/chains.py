"""chain.json: Docs/Formats.md §4."""

from .base import File, Seeded, flip
from .people import (
    ADMIN,
    READER,
    WRITER,
    Chain,
    Device,
    RecoveryKey,
    sealed_name,
)

alice, bob, carol, carol2, dave, erin, frank, mallory = (
    Device(name) for name in ("Alice's laptop", "Bob", "Carol", "Carol's new phone", "Dave \U0001f511", "Erin", "Frank", "Mallory")
)
bob2 = Device("Bob, after his key was replaced")
paper, safe, third = (RecoveryKey(name) for name in ("paper", "safe", "third"))
MAILBOX = Seeded("a mailbox").key()


def all_types():
    chain = Chain("all types").genesis(alice, [paper])
    chain.add_device(bob, WRITER, alice).add_device(carol, ADMIN, alice).set_role(carol, bob, ADMIN)
    chain.set_recovery(bob, safe).replace(carol, carol2).leave(bob)
    chain.revoke(alice, [alice, carol2], [paper, safe], removed=[bob])
    chain.reseal_done(alice, 2).add_device(dave, READER, paper)
    chain.revoke(safe, [alice, carol2, dave], [paper, safe])
    chain.set_role(carol2, dave, WRITER)
    # Carol's old id: what is active of it, her new device, goes.
    return chain.revoke(alice, [alice, dave], [safe], removed=[carol], removed_recoveries=[paper])


def base():
    """Alice admin, Carol admin, Bob's second device a writer, Dave a reader; Erin revoked; one recovery key revoked."""
    chain = Chain("base").genesis(alice, [paper, third])
    chain.add_device(bob, WRITER, alice).add_device(carol, ADMIN, alice)
    chain.add_device(erin, ADMIN, alice).add_device(dave, READER, carol)
    chain.revoke(alice, [alice, bob, carol, dave], [paper, third], removed=[erin])
    chain.replace(bob, bob2).set_recovery(carol, safe)
    return chain.revoke(carol, [alice, bob2, carol, dave], [paper, safe], removed_recoveries=[third])


def one_admin():
    return Chain("one admin").genesis(alice).add_device(bob, WRITER, alice)


def left():
    return base().leave(dave).leave(carol)


def many_recovery_keys():
    keys = [RecoveryKey(f"number {n}") for n in range(64)]
    chain = Chain("64 recovery keys").genesis(alice, keys[:15])
    for key in keys[15:]:
        chain.set_recovery(alice, key)
    return chain


def device_json(device, role, left=False):
    chain_signing, exchange_a, push_signing, exchange_c = device.keys
    return {
        "id": device.id.hex(), "name": device.text, "role": role, "left": left,
        "chain_signing": chain_signing.hex(), "exchange_a": exchange_a.hex(),
        "push_signing": push_signing.hex(), "exchange_c": exchange_c.hex(),
    }  # fmt: skip


def accept(file, name, chain, devices, recoveries, resealed=0):
    file.shared["chains"][name] = [entry.hex() for entry in chain.entries]
    file.accept(
        name,
        chain=name,
        c_keys={str(epoch): key.hex() for epoch, key in chain.c_keys.items()},
        expected={
            "vault": chain.vault.hex(),
            "head": chain.head.hex(),
            "number": chain.number - 1,
            "epoch": chain.epoch,
            "salt": chain.salt.hex(),
            "commitments": {str(epoch): [one.hex() for one in chain.commitments(epoch)] for epoch in chain.a_keys},
            "devices": sorted((device_json(*one) for one in devices), key=lambda one: one["id"]),
            "recoveries": sorted(
                ({"id": one.id.hex(), "name": one.text, "locator": one.locator.hex()} for one in recoveries),
                key=lambda one: one["id"],
            ),
            "resealed": resealed,
        },
    )


def positives(file):
    accept(file, "genesis alone", Chain("alone").genesis(alice), [(alice, ADMIN)], [])
    two = Chain("two").genesis(alice, [paper, safe])
    accept(file, "genesis with two recovery keys", two, [(alice, ADMIN)], [paper, safe])
    accept(file, "all types", all_types(), [(alice, ADMIN), (dave, WRITER)], [safe], 2)
    accept(file, "base", base(), [(alice, ADMIN), (carol, ADMIN), (bob2, WRITER), (dave, READER)], [paper, safe])
    accept(file, "one admin", one_admin(), [(alice, ADMIN), (bob, WRITER)], [])
    keys = [RecoveryKey(f"number {n}") for n in range(64)]
    accept(file, "64 recovery keys", many_recovery_keys(), [(alice, ADMIN)], keys)
    accept(file, "who left keeps the standing until revoked", left(),
           [(alice, ADMIN), (carol, ADMIN, True), (bob2, WRITER), (dave, READER, True)], [paper, safe])  # fmt: skip
    resigned = base()
    resigned.revoke(alice, [bob2, carol, dave], [paper, safe], removed=[alice])
    accept(file, "an admin revokes its own device", resigned, [(carol, ADMIN), (bob2, WRITER), (dave, READER)], [paper, safe])
    both = base()
    both.revoke(alice, [alice, carol, dave], [paper, safe], removed=[bob, bob2])
    accept(file, "an old id and its successor revoked in one list", both, [(alice, ADMIN), (carol, ADMIN), (dave, READER)], [paper, safe])
    heir = RecoveryKey("heir")
    heir.locator = third.locator
    reused = base().set_recovery(alice, heir)
    accept(file, "the locator of a revoked recovery key again", reused,
           [(alice, ADMIN), (carol, ADMIN), (bob2, WRITER), (dave, READER)], [paper, safe, heir])  # fmt: skip
    fifteen = [RecoveryKey(f"number {n}") for n in range(15)]
    accept(file, "sixteen signatures", Chain("sixteen").genesis(alice, fifteen), [(alice, ADMIN)], fifteen)


def names(file):
    """A name is sealed apart from the chain: opening it has its own refusals."""

    chain = one_admin()
    c_key = chain.c(1)

    def value(commitment, epoch, nonce, sealed):
        return {"commitment": commitment.hex(), "epoch": epoch, "nonce": nonce.hex(), "sealed": sealed.hex()}

    shown = {"id": alice.id.hex(), "c_keys": {"1": c_key.hex()}}
    good = alice.name(1, c_key)
    file.accept("a name", kind="name", **shown, sealed_name=value(*good), expected={"text": alice.text})
    longest = sealed_name(Seeded("longest name"), alice.id, "\u00e9" * 64, 1, c_key)
    file.accept("a name of 128 bytes", kind="name", **shown, sealed_name=value(*longest), expected={"text": "\u00e9" * 64})

    def refuse(name, why, made):
        file.refuse(f"name: {name}", why, kind="name", **shown, sealed_name=value(*made))

    longer = sealed_name(Seeded("longer name"), alice.id, "\u00e9" * 64 + "x", 1, c_key)
    refuse("129 bytes", "name text: wrong length", longer)
    refuse("another owner", "name: does not open", sealed_name(Seeded("other owner"), bob.id, "Bob", 1, c_key))
    refuse("another key", "name: does not open", sealed_name(Seeded("other key"), alice.id, "Bob", 1, flip(c_key)))
    refuse("another commitment outside", "name: does not open", [flip(good[0]), *good[1:]])
    lying = sealed_name(Seeded("lying name"), alice.id, "Alice", 1, c_key, commitment=good[0])
    refuse("the commitment is to another text", "name commitment: does not match", lying)
    refuse("sealed name altered", "name: does not open", [*good[:3], flip(good[3])])


def write():
    from .chain_refusals import negatives

    file = File("chain")
    file.shared["chains"] = {}
    positives(file)
    negatives(file)
    names(file)
    for vector in file.positive + file.negative:
        vector.setdefault("kind", "chain")
    return file
