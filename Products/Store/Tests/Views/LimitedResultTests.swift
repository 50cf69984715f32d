import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Results with a limit, which are refilled with the documents beyond the limit.
@Suite(.limited) struct LimitedResultTests {
  /// The documents on a device, and a live view of the first three by `n`.
  private struct Scene {
    var documents: [StoredDocument]
    var view: View
    let query: ListenQuery

    init(_ values: KeyValuePairs<String, Int>) throws {
      documents = values.map { Scene.document($0, $1) }
      query = ListenQuery(
        try RunnableQuery(
          StructuredQuery(
            parent: ResourcePath(segments: []), collectionID: "c", orders: [QueryOrder(field: "n")], limit: 3)
        ))
      view = View(query, Array(documents.prefix(3)), synced: [], hasRemote: true)
    }

    static func path(_ id: String) -> ResourcePath { ResourcePath(segments: ["c", id]) }

    static func document(_ id: String, _ n: Int) -> StoredDocument {
      StoredDocument(
        path: path(id), fields: ["n": .init(n)], createTime: .zero, updateTime: Timestamp(seconds: 1))
    }

    /// Changes a document, and updates the view as the engine does.
    mutating func change(_ id: String, to new: StoredDocument?) throws {
      documents.removeAll { $0.path == Self.path(id) }
      if let new { documents.append(new) }
      let order = try #require(query.order)
      documents.sort {
        order.compare(order.sortKey($0.fields, at: $0.path), order.sortKey($1.fields, at: $1.path)) < 0
      }
      guard let gap = view.update([Self.path(id): new]) else { return }
      let edge = order.sortKey(gap.edge.document.fields, at: gap.edge.document.path)
      let beyond = documents.filter { order.compare(edge, order.sortKey($0.fields, at: $0.path)) < 0 }
      view.close(gap, with: Array(beyond.prefix(gap.limit)))
    }

    /// Confirms a write to a document whose result the remote hasn't sent yet: the view continues to show the
    /// previous document, although it now has another value.
    mutating func confirmWrite(to id: String, showing shown: Int, now present: Int) throws {
      var pending = Scene.document(id, shown)
      pending.hasLocalMutations = true
      try change(id, to: pending)
      var confirmed = Scene.document(id, present)
      confirmed.hasCommittedMutations = true
      try change(id, to: confirmed)
    }

    var shown: [String] { view.documents.documents.map { $0.path.segments[1] } }
  }

  @Test func anOutdatedDocumentDoesNotDisplaceOneBeyondTheLimit() throws {
    var scene = try Scene(["a": 1, "b": 3, "c": 4, "d": 7])
    try scene.confirmWrite(to: "c", showing: 4, now: 6)
    #expect(scene.shown == ["a", "b", "c"])

    try scene.change("b", to: nil)
    #expect(scene.shown == ["a", "c", "d"])
    try scene.change("c", to: nil)
    #expect(scene.shown == ["a", "d"])
  }

  @Test func aResultReadAgainContainsNoOutdatedDocument() throws {
    var scene = try Scene(["a": 1, "b": 3, "c": 4, "d": 7])
    try scene.confirmWrite(to: "a", showing: 1, now: 5)
    #expect(scene.shown == ["a", "b", "c"])

    scene.view.replaceAll(with: Array(scene.documents.prefix(3)))
    #expect(scene.shown == ["b", "c", "a"])
    #expect(!scene.view.awaitsAcknowledgedDocuments)
  }
}
