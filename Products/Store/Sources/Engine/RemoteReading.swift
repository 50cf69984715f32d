import TenonCore
import TenonDocuments
import TenonStoreInterop

/// Brings documents that are read from the remote, and keeps them until the reading is over.
final class RemoteReading: Sendable {
  private struct State {
    var isReachable = true
    var kept: [ResourcePath] = []
  }

  private let engine: StoreEngine
  private let remote: any StoreRemote
  private let state = Lock(State())

  init(engine: StoreEngine, remote: any StoreRemote) {
    self.engine = engine
    self.remote = remote
  }

  /// Whether the remote has answered everything so far.
  var isReachable: Bool { state.withLock { $0.isReachable } }

  /// Computes over the documents of a query.
  ///
  /// - Returns: `nil` when the remote can't be reached.
  func aggregate(_ query: ResolvedQuery, _ aggregations: [QueryAggregation]) async throws -> [Value]? {
    let asked = query.completed
    return try await ask { try await $0.aggregate(asked, aggregations, database: $1) }
  }

  func fetch(_ paths: [ResourcePath]) async throws {
    guard let documents = try await ask({ try await $0.fetch(paths, database: $1) }) else { return }
    try await keep(documents)
  }

  func fetch(_ query: ResolvedQuery) async throws {
    let asked = query.completed
    guard let documents = try await ask({ try await $0.run(asked, database: $1) }) else { return }
    try await keep(documents)
    // What only this device holds for a part of the result may be gone there.
    let found = Set(documents.map(\.path))
    let others = try await engine.read { try $0.documents(of: query).map(\.path) }.filter {
      !found.contains($0)
    }
    if !others.isEmpty { try await fetch(others) }
  }

  /// - Returns: `nil` when the remote can't be reached, or doesn't answer in time; what is here counts then.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreRemote, String) async throws -> Answer
  ) async throws -> Answer? {
    guard isReachable else { return nil }
    let (remote, database) = (remote, engine.configuration.database)
    do {
      let answer = try await withThrowingTaskGroup(of: Answer?.self) { group in
        group.addTask { try await question(remote, database) }
        group.addTask {
          try await Task.sleep(for: OnlineStateTracker.timeout)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      if answer == nil { state.withLock { $0.isReachable = false } }
      return answer
    } catch let error as StoreRemoteError {
      guard [.unavailable, .deadlineExceeded].contains(error.code) else { throw StoreError.wrapping(error) }
      state.withLock { $0.isReachable = false }
      return nil
    }
  }

  private func keep(_ documents: [RemoteDocument]) async throws {
    state.withLock { $0.kept += documents.map(\.path) }
    try await engine.takeIn(documents)
  }

  func end() async {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    await engine.release(kept)
  }
}

extension StoreEngine {
  /// What is read through; `nil` when there is no remote, or it can't be reached.
  func beginReading() async -> RemoteReading? {
    guard let remote = configuration.remote else { return nil }
    let isReachable = try? await useAsUser { running in
      running.sync.remote.map { !$0.isDisabled } ?? false && running.sync.onlineState != .offline
    }
    return isReachable ?? false ? RemoteReading(engine: self, remote: remote) : nil
  }

  /// Takes in what was read at the remote.
  func takeIn(_ documents: [RemoteDocument]) throws {
    try use { running in
      let kept = LocalViewChange(target: 0, isFromCache: true, added: documents.map(\.path))
      try running.local.note([kept])
      var event = RemoteEvent(version: .zero)
      for document in documents where try !running.local.isKnown(document) {
        event.documents[document.path] =
          document.fields.map {
            BaseDocument(
              content: .found($0), createTime: document.createTime ?? .zero, version: document.updateTime,
              isCommitted: false)
          } ?? .missing(at: document.updateTime)
      }
      if !event.documents.isEmpty { try running.sync.applyRemoteEvent(event) }
    }
  }

  /// Documents that were read may be collected.
  func release(_ paths: [ResourcePath]) {
    guard !paths.isEmpty, case .open(let running) = state else { return }
    do { try running.local.note([LocalViewChange(target: 0, isFromCache: true, removed: paths)]) } catch {
      configuration.logger.warning("It can't be noted what was read: \(error)")
    }
  }
}
