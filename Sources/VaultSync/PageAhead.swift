internal import RelayWire
internal import Threading

/// The next page of a pull, asked for and opened while the one before it is still merged: over a slow line a first sync would otherwise
/// wait a round trip for each page.
final class PageAhead: Sendable {
  /// What was known when it was asked for; its cursor is where the page before ends.
  let point: SyncPoint
  private let answer = Monitor<Result<(ChangesPage, PageOpening), RelayError>?>(nil)

  /// Asks for what follows `point`; nil if the system has no thread for it.
  init?(_ api: RelayAPI, from point: SyncPoint, with keys: OpeningKeys) {
    self.point = point
    let thread = WorkerThread { [answer] in
      let result = Result { () throws(RelayError) in
        let page = try api.changes(since: point.cursor)
        return (page, PageOpening(page.changes, with: keys))
      }
      answer.change { $0 = result }
    }
    guard thread != nil else { return nil }
  }

  /// Whether the vault stands where this page begins.
  func follows(_ now: SyncPoint) -> Bool { point.generation == now.generation && point.cursor == now.cursor }

  /// Waits for the relay's answer.
  func page() throws(RelayError) -> (ChangesPage, PageOpening) {
    guard let result = answer.wait({ $0 }) else { throw .malformedAnswer }
    return try result.get()
  }
}
