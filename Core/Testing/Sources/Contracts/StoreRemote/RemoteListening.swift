import TenonDocuments
package import TenonStoreInterop
import Testing

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A client of a listening: it follows the events as the protocol has them, and knows at consistent moments what targets
/// hold.
package struct RemoteListening {
  private struct Target {
    var held: Set<String> = []
    var token: Data?
    var isAdded = false
    var isCurrent = false
    var isRemoved = false
    var wasReset = false
    var error: (any Error)?
    var filter: ExistenceFilter?
  }

  private let requests: AsyncStream<ListenRequest>.Continuation
  private var events: AsyncThrowingStream<ListenEvent, any Error>.Iterator
  private var targets: [Int: Target] = [:]
  private var documents: [String: RemoteDocument] = [:]
  private var told: Set<String> = []
  /// The last moment at which all targets agreed.
  package private(set) var readTime: Timestamp?

  package init(_ remote: any StoreRemote, _ context: RemoteContext) {
    let (stream, requests) = AsyncStream<ListenRequest>.makeStream()
    self.requests = requests
    events = remote.listen(stream, in: context).makeAsyncIterator()
  }

  // MARK: - Wishes

  package mutating func add(
    _ id: Int, _ content: ListenTarget.Content, _ resumption: ListenTarget.Resumption? = nil,
    expectedCount: Int? = nil
  ) {
    targets[id, default: Target()].error = nil
    let target = ListenTarget(
      id: id, content: content, resumption: resumption, expectedCount: expectedCount)
    requests.yield(.add(target))
  }

  package func remove(_ id: Int) { requests.yield(.remove(target: id)) }

  package func end() { requests.finish() }

  /// Begins with what an earlier listening held of a target.
  package mutating func keep(_ id: Int, from other: RemoteListening) {
    targets[id] = Target(held: other.held(id))
  }

  // MARK: - What is known

  package func held(_ id: Int) -> Set<String> { targets[id]?.held ?? [] }
  package func token(_ id: Int) -> Data? { targets[id]?.token }
  package func isAdded(_ id: Int) -> Bool { targets[id]?.isAdded ?? false }
  package func isCurrent(_ id: Int) -> Bool { targets[id]?.isCurrent ?? false }
  package func isRemoved(_ id: Int) -> Bool { targets[id]?.isRemoved ?? false }
  package func wasReset(_ id: Int) -> Bool { targets[id]?.wasReset ?? false }
  package func error(_ id: Int) -> (any Error)? { targets[id]?.error }
  package func filter(_ id: Int) -> ExistenceFilter? { targets[id]?.filter }
  package func document(_ id: String) -> RemoteDocument? { documents[id] }
  package func wasTold(_ id: String) -> Bool { told.contains(id) }

  /// Reads until all targets agree on a moment, that of a commit or a later one.
  package mutating func until(_ time: Timestamp) async throws {
    try await until { ($0.readTime?.compare(time) ?? -1) >= 0 }
  }

  /// Reads until something holds at a moment at which all targets agree, or right after a target was removed.
  package mutating func until(_ condition: (RemoteListening) -> Bool) async throws {
    while let event = try await events.next(isolation: #isolation) {
      if take(event), condition(self) { return }
    }
    Issue.record("the listening ended before everything was told")
  }

  /// Whether the state after the event may be looked at.
  private mutating func take(_ event: ListenEvent) -> Bool {
    switch event {
    case .target(let change): return take(change)
    case .document(let document, let added, let removed):
      let id = document.path.id
      told.insert(id)
      documents[id] = document.fields == nil ? nil : document
      for target in added { targets[target]?.held.insert(id) }
      for target in removed { targets[target]?.held.remove(id) }
      return false
    case .removed(let path, let removed):
      told.insert(path.id)
      for target in removed { targets[target]?.held.remove(path.id) }
      return false
    case .existenceFilter(let filter):
      targets[filter.target]?.filter = filter
      return false
    }
  }

  private mutating func take(_ change: TargetChange) -> Bool {
    let ids = change.targets.isEmpty ? Array(targets.keys) : change.targets
    for id in ids {
      if let token = change.token, !token.isEmpty { targets[id]?.token = token }
      switch change.kind {
      case .noChange: break
      case .added: targets[id]?.isAdded = true
      case .current: targets[id]?.isCurrent = true
      case .reset:
        targets[id]?.held = []
        targets[id]?.wasReset = true
      case .removed(let error):
        targets[id] = Target()
        targets[id]?.isRemoved = true
        targets[id]?.error = error
      }
    }
    if case .removed = change.kind { return true }
    guard change.targets.isEmpty, let time = change.readTime else { return false }
    if let readTime { #expect(time.compare(readTime) >= 0, "the moments of a listening don't go back") }
    readTime = time
    return true
  }
}

/// A client of a stream of writes.
package struct RemoteWriting {
  private let batches: AsyncStream<RemoteBatch>.Continuation
  private var events: AsyncThrowingStream<WriteEvent, any Error>.Iterator

  package init(_ remote: any StoreRemote, _ context: RemoteContext, token: Data?) {
    let (stream, batches) = AsyncStream<RemoteBatch>.makeStream()
    self.batches = batches
    events = remote.write(stream, token: token, in: context).makeAsyncIterator()
  }

  package func send(_ batch: RemoteBatch) { batches.yield(batch) }
  package func end() { batches.finish() }
  package mutating func next() async throws -> WriteEvent? { try await events.next(isolation: #isolation) }
}
