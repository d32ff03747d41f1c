import SealedRecords
import Testing
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Two devices, one vault")
struct TwoDeviceTests {
  @Test("What one device adds, another one reads")
  func addAndRead() throws {
    let world = try World()
    try world[0].add("ann", "s3cret", label: "Mail")
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("ann") == "s3cret")
    #expect(try world[1].label("ann") == "Mail")
    try world.settle()
    try world.expectSettled()
  }

  @Test("Edits of two attributes while apart are both kept, without a conflict")
  func disjointEdits() throws {
    let world = try World()
    try world[0].add("ann", "one", label: "Mail")
    try world.settle()
    try world[0].edit("ann", secret: "two")
    try world[1].edit("ann", [.label: .text("Post")])
    try world.settle()
    for device in world.devices {
      #expect(try device.secret("ann") == "two")
      #expect(try device.label("ann") == "Post")
      #expect(try device.item("ann")?.conflicts.isEmpty == true)
    }
    try world.expectSettled()
  }

  @Test("Edits of one attribute while apart are a conflict: both values stay, and both devices hold the same bytes")
  func conflictingEdits() throws {
    let world = try World()
    try world[0].add("ann", "one", label: "Mail")
    try world.settle()
    try world[0].edit("ann", [.secret: .bytes(Array("left".utf8)), .label: .text("L")])
    try world[1].edit("ann", [.secret: .bytes(Array("right".utf8)), .label: .text("R")])
    try world.settle()
    for device in world.devices {
      #expect(try device.secrets("ann") == ["left", "right"])
      #expect(try device.item("ann")?.conflicts.keys.sorted() == [.label, .secret])
      #expect(try device.row("ann")?.hasConflict == true)
    }
    try world.expectSettled()
    try world[1].edit("ann", secret: "chosen")
    try world[1].edit("ann", [.label: .text("Mail")])
    try world.settle()
    #expect(try world[0].secrets("ann") == ["chosen"])
    #expect(try world[0].row("ann")?.hasConflict == false)
    try world.expectSettled()
  }

  @Test("Two adds of one primary key while apart make one item with a conflict")
  func addAdd() throws {
    let world = try World()
    try world[0].add("ann", "left")
    try world[1].add("ann", "right")
    try world.settle()
    for device in world.devices {
      #expect(try device.secrets("ann") == ["left", "right"])
      #expect(try device.records().count == 1)
    }
    try world.expectSettled()
  }

  @Test("An edit wins over a delete made at the same time")
  func editAgainstDelete() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[0].remove("ann")
    try world[1].edit("ann", secret: "two")
    try world.settle()
    #expect(try world[0].secret("ann") == "two")
    #expect(try world[1].secret("ann") == "two")
    try world.expectSettled()
  }

  @Test("Two deletes at the same time leave the item deleted, and it can be added again")
  func deleteDelete() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[0].remove("ann")
    try world[1].remove("ann")
    try world.settle()
    #expect(try world[0].item("ann") == nil)
    try world.expectSettled()
    try world[1].add("ann", "new")
    try world.settle()
    #expect(try world[0].secret("ann") == "new")
    try world.expectSettled()
  }

  @Test("An item that exists is a duplicate, and replacing it supersedes")
  func duplicates() throws {
    let world = try World()
    try world[0].add("ann", "one")
    #expect(throws: VaultError.duplicate) { try world[0].add("ann", "two") }
    try world[0].add("ann", "two", replace: true)
    try world.settle()
    #expect(try world[1].secrets("ann") == ["two"])
    try world.expectSettled()
  }

  @Test("A device that joins later receives everything, tombstones too")
  func joinsLater() throws {
    let world = try World()
    for index in 0..<5 { try world[0].add("user \(index)", "secret \(index)") }
    try world[0].remove("user 3")
    try world.settle()
    let late = try world.join()
    try late.sync()
    #expect(try late.secret("user 4") == "secret 4")
    #expect(try late.item("user 3") == nil)
    try world.settle()
    try world.expectSettled()
  }

  @Test("A quiet cycle writes nothing, sends nothing and publishes nothing")
  func quietCycle() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    world[0].transport.forgetRequests()
    try world[0].sync()
    #expect(world[0].transport.requests.count == 1)
    #expect(world[0].transport.requests.first?.isPull == true)
  }

  @Test("Items of the vault carry a reference that survives edits and sync, and a new one after a delete")
  func persistentReferences() throws {
    let world = try World()
    let added = try world[0].add("ann", "one")
    try world.settle()
    try world[1].edit("ann", secret: "two")
    try world.settle()
    #expect(try world[0].row("ann")?.persistentReference == added.persistentReference)
    try world[1].remove("ann")
    try world.settle()
    try world[1].add("ann", "three")
    try world.settle()
    #expect(try world[0].row("ann")?.persistentReference != added.persistentReference)
  }
}
