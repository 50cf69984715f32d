import Foundation
import TenonDocuments
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct EdgeTests {
  @Test func timestampsAreTruncatedAsAServerDoes() async throws {
    let document = makeStore().document("c/d")
    let fine = Value.timestamp(Timestamp(seconds: -5, nanoseconds: 123_456_789))
    let kept = Value.timestamp(Timestamp(seconds: -5, nanoseconds: 123_456_000))
    try await document.setData(["at": fine, "in": [fine], "below": ["at": fine]])
    #expect(try await document.getDocument().fields == ["at": kept, "in": [kept], "below": ["at": kept]])
    try await document.updateData(["at": fine])
    #expect(try await document.getDocument().fields?["at"] == kept)
  }

  @Test func theChangeLogIsBounded() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    // Batches of 500, which end in the middle of each thousand.
    let count = Int(ChangeLog.kept) + 5_000
    for start in stride(from: 0, to: count, by: 500) {
      let batch = store.batch()
      for number in 0..<(start == 0 ? 750 : 500) {
        try batch.setData(
          ["n": Value.integer(Int64(start + number))], forDocument: store.document("c/\(number)"))
      }
      try await batch.commit()
    }
    let kept = try openDatabase(directory.file).first("SELECT sum(sequence - first + 1) FROM changes") {
      $0.integer(0)
    }
    #expect(try #require(kept) <= ChangeLog.kept + 2_000)
  }

  @Test func aCancelledWriteChangesNothing() async throws {
    let document = makeStore().document("c/d")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await document.setData(["n": 1])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await !document.getDocument().exists)
  }

  @Test func aListenerDistinguishesDocumentsWithLongIDs() async throws {
    let store = makeStore()
    let long = String(repeating: "x", count: 1_499)
    for end in ["1", "2", "3"] { try await store.document("c/\(long)\(end)").setData(["n": 1]) }
    var snapshots = store.collection("c").order(by: "n").snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids.map { $0.suffix(1) } == ["1", "2", "3"])
    try await store.document("c/\(long)2").delete()
    #expect(try await snapshots.next()?.ids.map { $0.suffix(1) } == ["1", "3"])
  }

  @Test(arguments: 0..<4)
  func applyingTheChangesGivesTheNewResult(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = makeStore()
    let notes = store.collection("notes")
    for descending in [false, true] {
      var snapshots = notes.order(by: "n", descending: descending).limit(to: 6).snapshots.makeAsyncIterator()
      var list = try #require(try await snapshots.next()).documents
      for _ in 0..<40 {
        let batch = store.batch()
        // A document that every batch rewrites, so that each one changes the result.
        try batch.setData(
          ["n": Value.integer(descending ? 99 : -1), "x": UUID().uuidString], forDocument: notes.document("z")
        )
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let document = notes.document("d\(Int.random(in: 0..<10, using: &generator))")
          if Int.random(in: 0..<3, using: &generator) == 0 {
            try batch.deleteDocument(document)
          } else {
            try batch.setData(
              ["n": Value.integer(Int64.random(in: 0..<12, using: &generator))], forDocument: document)
          }
        }
        try await batch.commit()
        let snapshot = try #require(try await snapshots.next())
        for change in snapshot.documentChanges {
          if let old = change.oldIndex {
            try #require(list.indices.contains(old))
            #expect(list[old].documentID == change.document.documentID)
            list.remove(at: old)
          }
          if let new = change.newIndex {
            try #require(new <= list.count)
            list.insert(change.document, at: new)
          }
        }
        #expect(list.map(\.documentID) == snapshot.ids)
        #expect(list.map(\.fields) == snapshot.documents.map(\.fields))
        let kinds = snapshot.documentChanges.map(\.type)
        #expect(kinds == kinds.sorted { $0.rank < $1.rank }, "removed, then added, then modified")
      }
    }
  }

  @Test func limitToLastReturnsDocumentsInTheQuerysOrder() async throws {
    let store = makeStore()
    let notes = store.collection("notes")
    for number in 1...6 {
      try await notes.document("d\(number)").setData(["n": Value.integer(Int64(number))])
    }
    let last = notes.order(by: "n").limit(toLast: 2)
    #expect(try await last.getDocuments().ids == ["d5", "d6"])
    #expect(try await last.end(before: [5]).getDocuments().ids == ["d3", "d4"])
    #expect(try await notes.order(by: "n").limit(toLast: 2).start(at: [6]).getDocuments().ids == ["d6"])
    #expect(try await last.count.getAggregation().count == 2)
    // The last limit applies.
    #expect(try await last.limit(to: 1).getDocuments().ids == ["d1"])
    var snapshots = last.snapshots.makeAsyncIterator()
    #expect(try await snapshots.next()?.ids == ["d5", "d6"])
    try await notes.document("d7").setData(["n": 7])
    let next = try await snapshots.next()
    #expect(next?.ids == ["d6", "d7"])
    #expect(
      next?.documentChanges.map(\.oldIndex) == [0, nil] && next?.documentChanges.map(\.newIndex) == [nil, 1])
    let thrown = await #expect(throws: StoreError.self) { try await notes.limit(toLast: 1).getDocuments() }
    #expect(thrown?.code == .invalidArgument)
  }
}

extension DocumentChangeType {
  fileprivate var rank: Int {
    switch self {
    case .removed: 0
    case .added: 1
    case .modified: 2
    }
  }
}
