import TenonStore
import TenonTestSupport
import TenonTesting
import Testing

/// Snapshots that tests of an app create without a database. The library is imported as an app does it.
@Suite(.limited) struct CreatedSnapshotTests {
  private struct Note: Codable, Equatable {
    @DocumentID var id: String?
    var title: String
    var rating: Int?
  }

  private static func snapshot(_ id: String, rating: Int = 0) -> DocumentSnapshot {
    DocumentSnapshot(fields: ["title": .string(id), "rating": .integer(Int64(rating))], path: "notes/\(id)")
  }

  @Test func aCreatedSnapshotReadsLikeARealOne() async throws {
    let store = makeStore()
    let reference = store.document("notes/tea")
    try await reference.setData(["title": "Tea", "rating": 5, "address": ["city": "Ulm"]])
    let real = try await reference.getDocument()
    let created = DocumentSnapshot(
      fields: ["title": "Tea", "rating": 5, "address": ["city": "Ulm"]], path: "notes/tea", in: store)
    #expect(created.reference == real.reference && created.documentID == "tea")
    #expect(created.fields == real.fields && created.exists && created.metadata == real.metadata)
    #expect(created.get("address.city") as? String == "Ulm" && created["title"] as? String == "Tea")
    #expect(created.description == real.description)
    let note = try created.data(as: Note.self)
    #expect(try note == real.data(as: Note.self) && note.id == "tea")
    #expect(try DocumentSnapshot(from: note, path: "notes/tea", in: store).data(as: Note.self) == note)
  }

  @Test func aMissingDocumentAndMetadataCanBeCreated() {
    let missing = DocumentSnapshot(
      fields: nil, path: "notes/tea", updateTime: Timestamp(seconds: 1, nanoseconds: 0))
    #expect(!missing.exists && missing.fields == nil && missing.updateTime == nil)
    #expect { try missing.data(as: Note.self) } throws: { ($0 as? StoreError)?.code == .notFound }
    let pending = DocumentSnapshot(
      fields: ["at": .timestamp(Timestamp(seconds: 9, nanoseconds: 0))],
      updateTime: Timestamp(seconds: 1, nanoseconds: 0),
      metadata: SnapshotMetadata(hasPendingWrites: true, isFromCache: true),
      pendingTimestamps: ["at": "before"])
    #expect(pending.metadata.hasPendingWrites && pending.metadata.isFromCache)
    #expect(pending.updateTime?.seconds == 1)
    #expect(pending.fields?["at"]?.timestampValue?.seconds == 9)
    #expect(pending.fields(with: .previous)?["at"] == "before")
    #expect(pending.fields(with: .none)?["at"] == .null)
  }

  @Test func operationsOfASnapshotWithoutADatabaseThrow() async throws {
    let reference = Self.snapshot("tea").reference
    #expect(reference == Self.snapshot("tea").reference && reference != Self.snapshot("coffee").reference)
    await #expect { try await reference.delete() } throws: {
      ($0 as? StoreError)?.code == .failedPrecondition
    }
    await #expect { try await reference.getDocument() } throws: {
      ($0 as? StoreError)?.code == .failedPrecondition
    }
    await #expect { for try await _ in reference.snapshots {} } throws: {
      ($0 as? StoreError)?.code == .failedPrecondition
    }
  }

  @Test func aFirstResultConsistsOfAdditions() {
    let pending = DocumentSnapshot(
      fields: [:], path: "notes/c", metadata: SnapshotMetadata(hasPendingWrites: true))
    let snapshot = QuerySnapshot([
      Self.snapshot("a"), Self.snapshot("b"), Self.snapshot("a", rating: 1), pending,
    ])
    #expect(snapshot.count == 3, "the first document with a path counts")
    #expect(snapshot.documents.map(\.documentID) == ["a", "b", "c"])
    #expect(snapshot.documentChanges.map(\.type) == [.added, .added, .added])
    #expect(snapshot.documentChanges.map(\.newIndex) == [0, 1, 2])
    #expect(snapshot.metadata == SnapshotMetadata(hasPendingWrites: true))
    let cached = QuerySnapshot([], metadata: SnapshotMetadata(isFromCache: true))
    #expect(cached.isEmpty && cached.metadata.isFromCache)
  }

  @Test func changesAreOrderedLikeThoseOfAListener() {
    let first = QuerySnapshot(["a", "b", "c", "d"].map { Self.snapshot($0) })
    let next = QuerySnapshot(
      [Self.snapshot("e"), Self.snapshot("c", rating: 2), Self.snapshot("a"), Self.snapshot("d")],
      after: first)
    #expect(next.documentChanges.map(\.type) == [.removed, .added, .modified])
    #expect(next.documentChanges.map(\.document.documentID) == ["b", "e", "c"])
    #expect(next.documentChanges.map(\.oldIndex) == [1, nil, 2])
    #expect(next.documentChanges.map(\.newIndex) == [nil, 0, 1])
    #expect(QuerySnapshot(next.documents, after: next).documentChanges.isEmpty)
  }

  @Test func appliedChangesResultInTheDocuments() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      func result() -> QuerySnapshot {
        let ids = (0..<8).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
        return QuerySnapshot(
          ids.map { Self.snapshot("d\($0)", rating: Int.random(in: 0..<2, using: &random)) })
      }
      let old = result()
      let next = QuerySnapshot(result().documents, after: old)
      var applied = old.documents
      for change in next.documentChanges {
        if let index = change.oldIndex {
          #expect(applied.remove(at: index).reference == change.document.reference)
        }
        if let index = change.newIndex { applied.insert(change.document, at: index) }
      }
      #expect(applied.map { "\($0)" } == next.documents.map { "\($0)" })
    }
  }
}
