internal import CMicroHTTPD
internal import RelayCore
internal import RelayWire
internal import Synchronization

/// One request and its reply. libmicrohttpd keeps a reference from the header on until the reply is sent or the connection is gone.
///
/// `body` and `head` are touched only by the connection's thread; `phase` also by the thread that does the work.
final class Exchange {
  enum Phase {
    /// The header fields are not read yet.
    case new
    /// The body comes in.
    case reading(Call)
    /// A worker is at it; the connection is suspended.
    case working
    /// Something has to happen first; the connection is suspended.
    case waiting(PendingReply)
    /// The reply is ready.
    case done(Reply)
  }

  /// What a worker changes while the connection is suspended.
  final class Slot: Sendable {
    let phase = Mutex(Phase.new)
  }

  /// The request; its body grows.
  var request: ServerRequest
  let slot = Slot()
  /// Set when the body cannot be kept: the rest is read and forgotten, since libmicrohttpd takes a reply only after it.
  var refusal: Problem?
  /// True once the request has come in whole; touched by the connection's thread alone.
  var isActive = false

  init(target: String) {
    request = ServerRequest(method: "", target: target, host: nil)
  }
}

/// A connection of libmicrohttpd.
///
/// @unchecked: the pointer is valid while the connection is suspended, and only `MHD_resume_connection`, which may be called from any
/// thread, is done with it elsewhere.
struct ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
}
