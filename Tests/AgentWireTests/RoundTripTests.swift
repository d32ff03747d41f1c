import CBOR
import Testing
import VaultModel

@testable import AgentWire

@Suite struct RoundTripTests {
  @Test func `There is a sample of every operation`() {
    #expect(Set(Samples.requests.map(\.operation)) == Set(AgentOperation.allCases))
    #expect(Set(Samples.replies.map(\.0)) == Set(AgentOperation.allCases))
  }

  @Test(arguments: Samples.requests)
  func `A request is read as it was written`(_ request: AgentRequest) throws {
    #expect(try AgentRequest(decoding: request.encoded) == request)
  }

  @Test(arguments: Samples.requests)
  func `A request is deterministic CBOR`(_ request: AgentRequest) throws {
    #expect(try CBORValue(decoding: request.encoded).encoded == request.encoded)
  }

  @Test(arguments: Samples.replies)
  func `A reply is read as it was written`(_ operation: AgentOperation, _ reply: AgentReply) throws {
    let messages = reply.encodedMessages
    #expect(messages.count == 1)
    #expect(try AgentMessage(decoding: messages[0], answering: operation) == .reply(reply))
    #expect(try CBORValue(decoding: messages[0]).encoded == messages[0])
  }

  @Test(arguments: AgentEvent.Kind.allCases)
  func `An event is read as it was written`(_ kind: AgentEvent.Kind) throws {
    for event in [AgentEvent(kind, "text"), AgentEvent(kind, "", done: 1, total: 2)] {
      #expect(try AgentMessage(decoding: event.encoded, answering: .join) == .event(event))
    }
  }

  @Test func `A long list of items is split into messages below the limit, in order`() throws {
    let items = (0..<5_000).map { number in
      FoundItem(
        vault: "v", itemClass: .genericPassword,
        attributes: [.service: .text("service \(number)"), .comment: .bytes(Array(repeating: 7, count: 1_000))],
        synchronizable: true)
    }
    var found: [FoundItem] = []
    let messages = AgentReply.success(.found(FindResult(items: items, lockedCount: 2))).encodedMessages
    #expect(messages.count > 4)
    for (index, message) in messages.enumerated() {
      #expect(message.count <= AgentProtocol.chunkBytes + 4_096)
      switch try AgentMessage(decoding: message, answering: .find) {
      case .items(let part):
        #expect(index < messages.count - 1)
        found += part
      case .reply(.success(.found(let last))):
        #expect(index == messages.count - 1)
        #expect(last.lockedCount == 2)
        found += last.items
      default: Issue.record("message \(index) is of another kind")
      }
    }
    #expect(found == items)
  }

  @Test func `The largest item fits into a message`() throws {
    let secret = [UInt8](repeating: 0xAA, count: Limits.secretBytes)
    let request = AgentRequest.add(
      AddArguments(itemClass: .genericPassword, attributes: [.service: .text("s")], secret: secret))
    #expect(request.encoded.count < AgentProtocol.maximumMessageBytes)
    #expect(try AgentRequest(decoding: request.encoded) == request)
  }

  @Test func `A failure never reads as a success`() throws {
    let message = AgentReply.failure(AgentFailure(.success, "odd")).encodedMessages[0]
    #expect(
      try AgentMessage(decoding: message, answering: .lock)
        == .reply(.failure(AgentFailure(.internalError, "odd"))))
  }
}
