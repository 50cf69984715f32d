import Foundation
import TenonTestSupport
import Testing

@testable import TenonStore

@Suite(.limited) struct TransactionTests {
  private struct SoldOut: Error {}

  @Test func transactionsAreSerializable() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    try await item.setData(["stock": 40])
    let sold = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          do {
            try await store.runTransaction(maximumAttempts: 200) { transaction in
              let stock = try await transaction.getDocument(item).fields?["stock"]?.int64Value ?? 0
              guard stock > 0 else { throw SoldOut() }
              // Not an increment, so that a lost update would be visible.
              try transaction.updateData(["stock": stock - 1], forDocument: item)
            }
            return true
          } catch is SoldOut {
            return false
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(sold == 40)
    #expect(try await item.getDocument().fields?["stock"] == 0)
  }

  @Test func aConflictRunsTheBodyAgain() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    try await item.setData(["n": 1])
    var runs = 0
    let seen = try await store.runTransaction { transaction in
      runs += 1
      let n = try await transaction.getDocument(item).fields?["n"]?.int64Value ?? 0
      if runs == 1 { try await item.setData(["n": 5]) }
      try transaction.setData(["n": n + 1], forDocument: item)
      return n
    }
    #expect(runs == 2)
    #expect(seen == 5)
    #expect(try await item.getDocument().fields?["n"] == 6)
  }

  @Test func aCreatedOrDeletedDocumentIsAConflict() async throws {
    let store = makeStore()
    let (a, b) = (store.document("items/a"), store.document("items/b"))
    try await b.setData(["x": 1])
    var runs = 0
    try await store.runTransaction { transaction in
      runs += 1
      _ = try await transaction.getDocument(a)
      _ = try await transaction.getDocument(b)
      if runs == 1 { try await a.setData(["x": 1]) }
      if runs == 2 { try await b.delete() }
      try transaction.setData(["runs": Value(runs)], forDocument: a)
    }
    #expect(runs == 3)
  }

  @Test func aQueryInATransactionIsReadConsistently() async throws {
    let store = makeStore()
    let items = store.collection("items")
    for index in 0..<3 { try await items.document("\(index)").setData(["open": true]) }
    let total = store.document("totals/open")
    var runs = 0
    try await store.runTransaction { transaction in
      runs += 1
      let open = try await transaction.getDocuments(items.whereField("open", isEqualTo: true))
      // A document that enters the result is a conflict, although the transaction hasn't read it.
      if runs == 1 { try await items.document("9").setData(["open": true]) }
      if runs == 2 { try await items.document("closed").setData(["open": false]) }
      try transaction.setData(["count": Value(open.count)], forDocument: total)
    }
    #expect(runs == 2)
    #expect(try await total.getDocument().fields?["count"] == 4)
  }

  @Test func nothingIsWrittenWhenTheBodyThrows() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    await #expect(throws: SoldOut.self) {
      try await store.runTransaction { transaction in
        try transaction.setData(["a": 1], forDocument: item)
        throw SoldOut()
      }
    }
    #expect(try await !item.getDocument().exists)
  }

  @Test func readingAfterWritingIsAnError() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction { transaction in
        try transaction.setData(["a": 1], forDocument: item)
        _ = try await transaction.getDocument(item)
      }
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("items/cup") == true)
  }

  @Test func aTransactionIsAbortedAfterItsLastAttempt() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    var runs = 0
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction(maximumAttempts: 3) { transaction in
        runs += 1
        _ = try await transaction.getDocument(item)
        try await item.setData(["n": .increment(1)], merge: true)
        try transaction.setData(["never": true], forDocument: item)
      }
    }
    #expect(thrown?.code == .aborted)
    #expect(runs == 3)
    #expect(try await item.getDocument().fields == ["n": 3])
    let none = await #expect(throws: StoreError.self) {
      try await store.runTransaction(maximumAttempts: 0) { _ in }
    }
    #expect(none?.code == .invalidArgument)
  }

  @Test func aFailedPreconditionIsNotTriedAgain() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    var runs = 0
    let thrown = await #expect(throws: StoreError.self) {
      try await store.runTransaction { transaction in
        runs += 1
        try transaction.updateData(["a": 1], forDocument: item)
      }
    }
    #expect(thrown?.code == .notFound)
    #expect(runs == 1)
  }

  @Test func aTransactionCannotBeUsedAfterItsBody() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    let kept = try await store.runTransaction { $0 }
    #expect(throws: StoreError.self) { try kept.setData(["a": 1], forDocument: item) }
    await #expect(throws: StoreError.self) { try await kept.getDocument(item) }
    let other = makeStore()
    let thrown = await #expect(throws: StoreError.self) {
      try await other.runTransaction { try $0.setData(["a": 1], forDocument: item) }
    }
    #expect(thrown?.code == .invalidArgument)
  }

  @Test func writesOfOtherProcessesAreConflicts() async throws {
    // Two engines on one file simulate two processes.
    let directory = try TestDirectory()
    let (here, there) = (makeStore(directory), makeStore(directory))
    let item = here.document("items/cup")
    try await item.setData(["n": 1])
    var runs = 0
    try await here.runTransaction { transaction in
      runs += 1
      let n = try await transaction.getDocument(item).fields?["n"]?.int64Value ?? 0
      if runs == 1 { try await there.document("items/cup").setData(["n": 10]) }
      try transaction.setData(["n": n + 1], forDocument: item)
    }
    #expect(runs == 2)
    #expect(try await there.document("items/cup").getDocument().fields?["n"] == 11)
  }

  /// Calls a closure that returns nothing, as an action of a button is.
  private func perform(_ action: () async throws -> Void) async throws { try await action() }

  @Test func aBodyMayEndWithAWriteWhereNothingIsReturned() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    try await item.setData(["n": 0])
    try await perform {
      try await store.runTransaction { t in try t.updateData(["n": .increment(1)], forDocument: item) }
    }
    func task() -> Task<Void, any Error> {
      Task {
        try await store.runTransaction { t in try t.updateData(["n": .increment(1)], forDocument: item) }
      }
    }
    try await task().value
    try await perform {
      try await store.runTransaction { t in
        guard try await t.getDocument(item).exists else { return }
        try t.updateData(["n": .increment(1)], forDocument: item)
      }
    }
    let nothing: Void = try await store.runTransaction(maximumAttempts: 2) {
      try $0.updateData(["n": .increment(1)], forDocument: item).setData(
        [:], forDocument: item.parent.document("b"))
    }
    nothing
    #expect(try await item.getDocument().fields?["n"] == 4)
  }

  @Test func theResultOfABodyIsReturned() async throws {
    let store = makeStore()
    let item = store.document("items/cup")
    try await item.setData(["n": 1])
    let snapshot = try await store.runTransaction { t in try await t.getDocument(item) }
    #expect(snapshot.fields?["n"] == 1)
    let n = try await store.runTransaction { t in
      let n = try await t.getDocument(item).fields?["n"]?.int64Value ?? 0
      try t.updateData(["n": n + 1], forDocument: item)
      return n
    }
    #expect(n == 1)
  }
}
