import Foundation
import TenonDocuments
import TenonStoreInterop

/// What somebody listens to, and the result that they have been told.
struct Listener {
  enum Target {
    case document(ResourcePath, StoredDocument?)
    case query(SortedResult)
  }

  let channel: SnapshotChannel
  var target: Target

  var documents: [StoredDocument] {
    switch target {
    case .document(_, let document): document.map { [$0] } ?? []
    case .query(let result): result.documents
    }
  }

  /// What a change means to a listener.
  enum Effect {
    case none
    case changed
    /// The result must be read anew: a document has left a result that was full, and another may take its place.
    case readAnew
  }

  /// Takes in the new state of one document.
  mutating func apply(_ path: ResourcePath, _ document: StoredDocument?) -> Effect {
    switch target {
    case .document(let own, _):
      guard own == path else { return .none }
      target = .document(own, document)
      return .changed
    case .query(var result):
      let wasIn = result.contains(path)
      let belongs = document.map { result.query.matches($0.fields, at: path) } ?? false
      guard wasIn || belongs else { return .none }
      if wasIn, result.isFull { return .readAnew }
      result.remove(path)
      if let document, belongs { result.add(document) }
      target = .query(result)
      return .changed
    }
  }
}

/// Ends a listening when nobody reads it any more.
final class ListenerRegistration: Sendable {
  private let engine: StoreEngine
  private let id: UUID
  private let channel: SnapshotChannel

  init(engine: StoreEngine, id: UUID, channel: SnapshotChannel) {
    self.engine = engine
    self.id = id
    self.channel = channel
  }

  deinit {
    channel.cancel()
    Task { [engine, id] in await engine.removeListener(id) }
  }

  func next() async throws -> SnapshotChannel.Delivery? { try await channel.next() }
}
