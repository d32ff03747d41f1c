// swift-tools-version: 6.2
// Targets are narrow on purpose: what a target may import says what it may know (Docs/Architecture.md, "Targets").
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// A library target of ours; `imports` is everything it may import.
func part(_ name: String, _ imports: [String] = [], path: String? = nil) -> Target {
  .target(
    name: name, dependencies: imports.map { .byName(name: $0) }, path: path ?? "Sources/\(name)",
    swiftSettings: strict)
}

/// A program: the only places that compose parts.
func program(_ name: String, _ imports: [String], path: String? = nil, link: [LinkerSetting] = []) -> Target {
  .executableTarget(
    name: name, dependencies: imports.map { .byName(name: $0) }, path: path ?? "Sources/\(name)",
    swiftSettings: strict, linkerSettings: link)
}

/// No shared library at all, not even the C library: loading and binding four of them takes half the time that a short
/// command needs. Not position-independent: with the rpath that SwiftPM adds, glibc 2.36's static start-up code crashes.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(["-static-executable", "-use-ld=lld"], .when(configuration: .release))
]

func tests(_ name: String, _ imports: [String], path: String? = nil) -> Target {
  .testTarget(
    name: name, dependencies: imports.map { .byName(name: $0) }, path: path ?? "Tests/\(name)",
    swiftSettings: strict)
}

/// A C library of the system, reached through a module map and the thinnest shim.
func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "lockstep",
  products: [
    .executable(name: "lockstep", targets: ["lockstep"]),
    .executable(name: "lockstepd", targets: ["lockstepd"]),
    .executable(name: "lockstep-relay", targets: ["lockstep-relay"]),
  ],
  targets: [
    // C libraries.
    system("CSodium", "libsodium", apt: "libsodium-dev"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
    system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev"),
    .target(name: "CLinux", path: "Sources/CLinux"),

    // Shared by both sides of the wire.
    part("TextCoding"),
    part("Threading"),
    part("CBOR"),
    part("VaultCrypto", ["CSodium", "CBOR"]),
    part("RelayWire", ["CBOR", "TextCoding"]),
    part("DeviceChain", ["RelayWire", "CBOR", "VaultCrypto"]),
    part("SQLiteKit", ["CSQLite"]),

    // The vault, from the model outwards.
    part("VaultModel"),
    part("SealedRecords", ["VaultModel", "VaultCrypto", "CBOR"]),
    part("Membership", ["VaultCrypto", "VaultModel", "CBOR", "RelayWire", "DeviceChain", "TextCoding"]),
    part("VaultStore", ["SQLiteKit", "SealedRecords", "VaultModel"]),
    part(
      "VaultSync",
      [
        "VaultModel", "VaultCrypto", "SealedRecords", "Membership", "VaultStore", "RelayWire", "DeviceChain", "CBOR",
        "TextCoding", "Threading",
      ]),
    part("RelayClient", ["RelayWire", "VaultCrypto", "CCurl"]),

    // The agent and those who talk to it.
    part("UnixSocket", ["CLinux"]),
    part("AgentWire", ["VaultModel", "CBOR"]),
    part(
      "AgentCore",
      [
        "AgentWire", "DeviceChain", "Membership", "RelayWire", "SQLiteKit", "SealedRecords", "Threading", "VaultCrypto",
        "VaultModel", "VaultStore", "VaultSync",
      ]),
    part("AgentClient", ["AgentWire", "UnixSocket", "CLinux"]),
    program(
      "lockstep", ["AgentClient", "AgentWire", "VaultModel", "TextCoding", "CLinux"], link: selfContained),
    program(
      "lockstepd",
      [
        "AgentCore", "AgentWire", "CLinux", "RelayClient", "TextCoding", "Threading", "UnixSocket", "VaultCrypto",
      ]),

    // The relay.
    part(
      "RelayCore", ["RelayWire", "DeviceChain", "CBOR", "VaultCrypto", "TextCoding", "Threading"],
      path: "SyncServer/Sources/RelayCore"),
    part(
      "RelayStorageSQLite", ["RelayCore", "RelayWire", "SQLiteKit", "Threading"],
      path: "SyncServer/Sources/RelayStorageSQLite"),
    part(
      "RelayHTTP", ["RelayCore", "RelayWire", "CMicroHTTPD", "Threading"], path: "SyncServer/Sources/RelayHTTP"),
    program(
      "lockstep-relay", ["RelayCore", "RelayStorageSQLite", "RelayHTTP", "RelayWire", "TextCoding", "Threading"],
      path: "SyncServer/Sources/lockstep-relay"),

    // Tests.
    tests("CBORTests", ["CBOR", "TextCoding"]),
    tests("VaultCryptoTests", ["VaultCrypto", "CBOR", "TextCoding"]),
    tests("TextCodingTests", ["TextCoding"]),
    tests("VaultModelTests", ["VaultModel"]),
    tests("SQLiteKitTests", ["SQLiteKit"]),
    tests("SealedRecordsTests", ["SealedRecords", "VaultModel", "VaultCrypto", "CBOR", "TextCoding"]),
    tests(
      "MembershipTests",
      ["Membership", "VaultModel", "VaultCrypto", "CBOR", "RelayWire", "DeviceChain", "TextCoding"]),
    tests("DeviceChainTests", ["DeviceChain", "RelayWire", "CBOR", "VaultCrypto"]),
    tests("VaultStoreTests", ["VaultStore", "SQLiteKit", "SealedRecords", "VaultModel", "CBOR"]),
    tests(
      "VaultSyncTests",
      [
        "VaultSync", "VaultStore", "SQLiteKit", "Membership", "SealedRecords", "VaultModel", "VaultCrypto", "CBOR",
        "RelayWire", "DeviceChain", "RelayCore", "RelayStorageSQLite", "TextCoding",
      ]),
    tests(
      "AgentCoreTests",
      [
        "AgentCore", "AgentWire", "DeviceChain", "Membership", "RelayCore", "RelayStorageSQLite", "RelayWire",
        "SQLiteKit", "SealedRecords", "VaultModel", "VaultStore", "VaultSync",
      ]),
    tests("AgentWireTests", ["AgentWire", "CBOR", "VaultModel"]),
    tests("UnixSocketTests", ["UnixSocket"]),
    tests("LockstepCommandTests", ["lockstep", "AgentWire", "VaultModel", "TextCoding"]),
    tests("ArchitectureTests", []),
    tests(
      "VectorTests",
      ["CBOR", "DeviceChain", "Membership", "RelayWire", "SealedRecords", "TextCoding", "VaultCrypto", "VaultModel"]),
    tests(
      "RelayCoreTests",
      [
        "RelayCore", "RelayStorageSQLite", "RelayClient", "RelayHTTP", "RelayWire", "DeviceChain", "CBOR",
        "VaultCrypto", "TextCoding", "Threading",
      ],
      path: "SyncServer/Tests/RelayCoreTests"),
    tests(
      "RelayStorageTests",
      ["RelayCore", "RelayStorageSQLite", "RelayWire", "SQLiteKit", "CBOR", "Threading", "VaultCrypto"],
      path: "SyncServer/Tests/RelayStorageTests"),
  ]
)
