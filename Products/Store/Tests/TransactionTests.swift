import Foundation
import TenonDocuments
import TenonStoreInterop
import Testing

@testable import TenonStore

struct TransactionTests {
  private struct SoldOut: Error {}

  @Test func whatIsReadAndWrittenIsAsIfNobodyElseWereThere() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    try await item.set(["stock": 40])
    let sold = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          do {
            try await store.transaction(maximumAttempts: 200) { transaction in
              let stock = try await transaction.get(item)["stock"]?.integerValue ?? 0
              guard stock > 0 else { throw SoldOut() }
              // Not an increment: a lost update would show.
              try transaction.update(["stock": .value(.integer(stock - 1))], at: item)
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
    #expect(try await item.get()["stock"] == 0)
  }

  @Test func aChangeOfWhatWasReadRunsTheBodyAgain() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    try await item.set(["n": 1])
    var runs = 0
    let seen = try await store.transaction { transaction in
      runs += 1
      let n = try await transaction.get(item)["n"]?.integerValue ?? 0
      if runs == 1 { try await item.set(["n": 5]) }
      try transaction.set(["n": .value(.integer(n + 1))], at: item)
      return n
    }
    #expect(runs == 2)
    #expect(seen == 5)
    #expect(try await item.get()["n"] == 6)
  }

  @Test func aDocumentThatAppearsOrDisappearsIsAChange() async throws {
    let store = makeStore()
    let (a, b) = (try store.document("items/a"), try store.document("items/b"))
    try await b.set(["x": 1])
    var runs = 0
    try await store.transaction { transaction in
      runs += 1
      _ = try await transaction.get(a)
      _ = try await transaction.get(b)
      if runs == 1 { try await a.set(["x": 1]) }
      if runs == 2 { try await b.delete() }
      try transaction.set(["runs": .value(Value(runs))], at: a)
    }
    #expect(runs == 3)
  }

  @Test func aQueryIsReadAsAWhole() async throws {
    let store = makeStore()
    let items = try store.collection("items")
    for index in 0..<3 { try await items.document("\(index)").set(["open": true]) }
    let total = try store.document("totals/open")
    var runs = 0
    try await store.transaction { transaction in
      runs += 1
      let open = try await transaction.get(items.where("open", .equal, true))
      // What comes into the result counts, though it wasn't read itself.
      if runs == 1 { try await items.document("9").set(["open": true]) }
      if runs == 2 { try await items.document("closed").set(["open": false]) }
      try transaction.set(["count": .value(Value(open.count))], at: total)
    }
    #expect(runs == 2)
    #expect(try await total.get()["count"] == 4)
  }

  @Test func nothingIsWrittenWhenTheBodyThrows() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    await #expect(throws: SoldOut.self) {
      try await store.transaction { transaction in
        try transaction.set(["a": 1], at: item)
        throw SoldOut()
      }
    }
    #expect(try await !item.get().exists)
  }

  @Test func readingAfterWritingIsAnError() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    let thrown = await #expect(throws: StoreError.self) {
      try await store.transaction { transaction in
        try transaction.set(["a": 1], at: item)
        _ = try await transaction.get(item)
      }
    }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.message.contains("items/cup") == true)
  }

  @Test func afterTheLastAttemptItIsAborted() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    var runs = 0
    let thrown = await #expect(throws: StoreError.self) {
      try await store.transaction(maximumAttempts: 3) { transaction in
        runs += 1
        _ = try await transaction.get(item)
        try await item.set(["n": .increment(1)], merge: true)
        try transaction.set(["never": true], at: item)
      }
    }
    #expect(thrown?.code == .aborted)
    #expect(runs == 3)
    #expect(try await item.get().fields == ["n": 3])
    let none = await #expect(throws: StoreError.self) {
      try await store.transaction(maximumAttempts: 0) { _ in }
    }
    #expect(none?.code == .invalidArgument)
  }

  @Test func aFailedPreconditionIsNotTriedAgain() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    var runs = 0
    let thrown = await #expect(throws: StoreError.self) {
      try await store.transaction { transaction in
        runs += 1
        try transaction.update(["a": 1], at: item)
      }
    }
    #expect(thrown?.code == .notFound)
    #expect(runs == 1)
  }

  @Test func aTransactionIsOverWithItsBody() async throws {
    let store = makeStore()
    let item = try store.document("items/cup")
    let kept = try await store.transaction { $0 }
    #expect(throws: StoreError.self) { try kept.set(["a": 1], at: item) }
    await #expect(throws: StoreError.self) { try await kept.get(item) }
    let other = makeStore()
    let thrown = await #expect(throws: StoreError.self) {
      try await other.transaction { try $0.set(["a": 1], at: item) }
    }
    #expect(thrown?.code == .invalidArgument)
  }

  @Test func whatAnotherProcessWouldWriteIsNoticed() async throws {
    // Two engines on one file stand for two processes.
    let directory = try TestDirectory()
    let (here, there) = (makeStore(directory), makeStore(directory))
    let item = try here.document("items/cup")
    try await item.set(["n": 1])
    var runs = 0
    try await here.transaction { transaction in
      runs += 1
      let n = try await transaction.get(item)["n"]?.integerValue ?? 0
      if runs == 1 { try await there.document("items/cup").set(["n": 10]) }
      try transaction.set(["n": .value(.integer(n + 1))], at: item)
    }
    #expect(runs == 2)
    #expect(try await there.document("items/cup").get()["n"] == 11)
  }
}
