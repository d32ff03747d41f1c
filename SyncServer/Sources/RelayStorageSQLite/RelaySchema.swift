internal import SQLiteKit

/// The relay's tables. Ids, hashes and blobs are as they came; numbers of the protocol fit SQLite's signed 64 bits, since sequences count up from 1.
enum RelaySchema {
  /// "LSRy": Lockstep relay.
  static let migrator = Migrator(applicationID: 0x4C53_5279, migrations: [first])

  private static let first = """
    CREATE TABLE vaults (
      vault INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE CHECK (length(id) = 32),
      incarnation BLOB NOT NULL CHECK (length(incarnation) = 16),
      head INTEGER NOT NULL,              -- greatest sequence ever given
      digest BLOB NOT NULL,               -- listing digest at head
      bytes INTEGER NOT NULL,             -- of everything that the vault holds
      chain_length INTEGER NOT NULL,
      chain_bytes INTEGER NOT NULL,
      checkpoint_count INTEGER NOT NULL   -- publications ever
    ) STRICT;
    CREATE TABLE entries (
      vault INTEGER NOT NULL REFERENCES vaults,
      number INTEGER NOT NULL,
      entry BLOB NOT NULL,
      UNIQUE (vault, number)
    ) STRICT;
    CREATE TABLE keyrings (
      number INTEGER PRIMARY KEY AUTOINCREMENT,  -- pages go by it
      vault INTEGER NOT NULL REFERENCES vaults,
      kind INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      recipient BLOB NOT NULL,
      keyring BLOB NOT NULL,
      UNIQUE (vault, recipient, epoch, kind)
    ) STRICT;
    CREATE INDEX keyrings_by_number ON keyrings (vault, number);
    CREATE TABLE slots (
      vault INTEGER NOT NULL REFERENCES vaults,
      slot BLOB NOT NULL CHECK (length(slot) = 32),
      sequence INTEGER NOT NULL,
      kind INTEGER NOT NULL CHECK (kind IN (0, 1)),  -- record, purge
      content BLOB NOT NULL,
      UNIQUE (vault, slot),
      UNIQUE (vault, sequence)
    ) STRICT;
    CREATE TABLE checkpoints (
      vault INTEGER NOT NULL REFERENCES vaults,
      author BLOB NOT NULL,
      checkpoint BLOB NOT NULL,
      UNIQUE (vault, author)
    ) STRICT;
    CREATE TABLE mailboxes (
      mailbox BLOB NOT NULL UNIQUE CHECK (length(mailbox) = 32),
      vault INTEGER NOT NULL REFERENCES vaults,
      expires INTEGER NOT NULL,
      request BLOB,
      answer BLOB
    ) STRICT;
    CREATE INDEX mailboxes_by_vault ON mailboxes (vault);
    CREATE INDEX mailboxes_by_expiry ON mailboxes (expires);
    CREATE TABLE locators (
      number INTEGER PRIMARY KEY AUTOINCREMENT,  -- the oldest registration of a locator wins
      vault INTEGER NOT NULL REFERENCES vaults,
      locator BLOB NOT NULL,
      recovery BLOB NOT NULL,
      UNIQUE (vault, locator)
    ) STRICT;
    CREATE INDEX locators_by_locator ON locators (locator, number);
    CREATE TABLE invites (
      hash BLOB NOT NULL UNIQUE,
      uses INTEGER NOT NULL,
      expires INTEGER NOT NULL
    ) STRICT;
    """
}
