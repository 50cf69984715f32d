import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The order of a listener's first result. `DocumentSet` relies on documents being read in the query's order,
/// and asserts it in debug builds only.
@Suite(.limited) struct FirstResultTests {
  private static let count = 40

  private static func path(_ number: Int) -> ResourcePath {
    ResourcePath(segments: ["c", "d\(number * 7 % count)"])
  }

  /// Documents whose order by `n` is neither that of their ids nor that of their writes.
  private static func makeFilledStore() async throws -> Store {
    let store = makeStore()
    _ = try await store.engine.commit(
      (0..<count).map { number in
        let fields: Fields = [
          "n": .init(number * 11 % count), "a": .init(number % 4), "b": .init(number % 5),
          "tags": .array([.init(number % 3)]),
        ]
        return DocumentWrite(path(number), .set(fields))
      })
    return store
  }

  /// Each alternative is read from a separate index; several may find the same document.
  private static let anyOf = QueryFilter.or([
    .field("a", .equal, 3), .field("b", .equal, 1), .field("tags", .arrayContains, 2),
    .field("n", .lessThan, 4),
  ])

  @Test(
    arguments: [nil, anyOf], [[], [QueryOrder(field: "n")], [QueryOrder(field: "n", isDescending: true)]])
  func theFirstResultIsInTheOrderOfTheQuery(filter: QueryFilter?, orders: [QueryOrder]) async throws {
    let store = try await Self.makeFilledStore()
    for (limit, isLimitedToLast) in [(nil, false), (5, false), (5, true)] as [(Int?, Bool)]
    where !isLimitedToLast || !orders.isEmpty {
      let structure = StructuredQuery(
        parent: ResourcePath(segments: []), collectionID: "c", filter: filter, orders: orders, limit: limit)
      let query = ListenQuery(try RunnableQuery(structure, isLimitedToLast: isLimitedToLast))
      let order = try #require(query.order)
      let shown = try await store.engine.first(query, QueryListener.Options()).documents.documents
      let sorted = shown.sorted {
        order.compare(order.sortKey($0.fields, at: $0.path), order.sortKey($1.fields, at: $1.path)) < 0
      }
      #expect(shown.map(\.path) == sorted.map(\.path))
      let matching = (0..<Self.count).count { number in
        filter == nil || number % 4 == 3 || number % 5 == 1 || number % 3 == 2 || number * 11 % Self.count < 4
      }
      #expect(shown.count == limit ?? matching)
    }
  }
}
