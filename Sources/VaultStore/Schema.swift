/// The tables of the local store. Nothing in them is readable without the device's keys but what the relay may know too
/// (ids, sequences, sizes, classes) and names that the person gave to vaults on this machine.
enum Schema {
  /// Marks the file as ours: "LSvt".
  static let applicationID: Int32 = 0x4C53_7674

  /// Migrations in order; the n-th brings the file to version n. A released one never changes.
  static let migrations: [String] = [
    """
    CREATE TABLE setting (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE vault (
      id INTEGER PRIMARY KEY,
      vault_id BLOB NOT NULL UNIQUE,
      name TEXT NOT NULL UNIQUE,
      relay TEXT NOT NULL,
      device_id BLOB NOT NULL,
      secrets_a BLOB NOT NULL,
      secrets_c BLOB NOT NULL,
      incarnation BLOB NOT NULL,
      cursor INTEGER NOT NULL DEFAULT 0,
      complete INTEGER NOT NULL DEFAULT -1,
      counter INTEGER NOT NULL DEFAULT 0,
      clean_counter INTEGER NOT NULL DEFAULT 0,
      checkpoint_number INTEGER NOT NULL DEFAULT 0,
      checkpoint_made INTEGER NOT NULL DEFAULT -1,
      checkpoint_sequence INTEGER NOT NULL DEFAULT -1,
      checkpoint_chain INTEGER NOT NULL DEFAULT -1,
      set_hash BLOB NOT NULL,
      listing_digest BLOB NOT NULL,
      state TEXT NOT NULL DEFAULT 'active',
      evidence TEXT NOT NULL DEFAULT '',
      last_success INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE chain (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      entry BLOB NOT NULL,
      PRIMARY KEY (vault, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE keyring (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      kind INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      recipient BLOB NOT NULL,
      keyring BLOB NOT NULL,
      PRIMARY KEY (vault, kind, epoch, recipient)
    ) STRICT, WITHOUT ROWID;

    -- scope 0: an item of the vault, 1: of this device alone. dirty: the relay does not hold these bytes yet.
    CREATE TABLE item (
      id INTEGER PRIMARY KEY,
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      scope INTEGER NOT NULL,
      slot BLOB NOT NULL,
      class INTEGER NOT NULL,
      item_class INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      conflict INTEGER NOT NULL DEFAULT 0,
      dirty INTEGER NOT NULL DEFAULT 0,
      refused TEXT NOT NULL DEFAULT '',
      persistent_reference BLOB NOT NULL UNIQUE,
      record BLOB NOT NULL,
      UNIQUE (vault, scope, slot),
      CHECK (scope = 0 OR dirty = 0)
    ) STRICT;
    CREATE INDEX item_dirty ON item (vault, id) WHERE dirty = 1 AND refused = '';
    CREATE INDEX item_refused ON item (vault, refused) WHERE refused <> '';
    CREATE INDEX item_conflict ON item (vault, id) WHERE conflict = 1;
    CREATE INDEX item_deleted ON item (vault, scope, deleted, class);

    CREATE TABLE tag (
      tag BLOB NOT NULL,
      item INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
      PRIMARY KEY (tag, item)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tag_item ON tag (item);

    -- Own writes that the relay has not acknowledged.
    CREATE TABLE unstored (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      slot BLOB NOT NULL,
      counter INTEGER NOT NULL,
      PRIMARY KEY (vault, slot, counter)
    ) STRICT, WITHOUT ROWID;

    -- What the relay holds, as far as this device has received or stored it.
    CREATE TABLE served (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      slot BLOB NOT NULL,
      sequence INTEGER NOT NULL,
      record_hash BLOB NOT NULL,
      own_counter INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (vault, slot)
    ) STRICT, WITHOUT ROWID;

    -- Received records that are not merged yet, in the order in which they came: sealed for class A while locked (reason
    -- empty), or quarantined. A record is here once for its slot, whatever sequence the relay gives it. hopeless: nothing
    -- can make it count, so the slot may be pushed over it.
    CREATE TABLE inbox (
      id INTEGER PRIMARY KEY,
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      slot BLOB NOT NULL,
      record_hash BLOB NOT NULL,
      record BLOB NOT NULL,
      reason TEXT NOT NULL DEFAULT '',
      retry_after INTEGER NOT NULL DEFAULT 0,
      hopeless INTEGER NOT NULL DEFAULT 0,
      UNIQUE (vault, slot, record_hash)
    ) STRICT;
    CREATE INDEX inbox_waiting ON inbox (vault, slot) WHERE reason = '';
    CREATE INDEX inbox_quarantine ON inbox (vault) WHERE reason <> '';
    CREATE INDEX inbox_due ON inbox (vault, retry_after) WHERE retry_after > 0;

    -- This device's own set hash by sequence, so that other devices' checkpoints can be compared later.
    CREATE TABLE set_hash_history (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      incarnation BLOB NOT NULL,
      sequence INTEGER NOT NULL,
      set_hash BLOB NOT NULL,
      PRIMARY KEY (vault, incarnation, sequence)
    ) STRICT, WITHOUT ROWID;

    -- Incarnations that the relay has left behind: none of them is accepted again.
    CREATE TABLE left_incarnation (
      vault INTEGER NOT NULL REFERENCES vault(id) ON DELETE CASCADE,
      incarnation BLOB NOT NULL,
      PRIMARY KEY (vault, incarnation)
    ) STRICT, WITHOUT ROWID;
    """
  ]
}
