import TenonDocuments
import TenonStoreInterop
import Testing

extension StoreRemoteContract {
  /// Checks the effect of writes and their responses:
  /// - A document that doesn't exist is returned without fields, and a commit returns one result per write.
  /// - A document's update time is the time of the last commit that changed it. Commit times increase.
  /// - An update changes the fields of its mask and no others. Fields of the mask without a value are
  ///   deleted. An update without a precondition creates a document that doesn't exist.
  /// - A write that changes nothing keeps the update time, and its result has the time of the last change.
  /// - The writes of a batch are applied in order, also several to one document. Deleting a document that
  ///   doesn't exist has no effect.
  /// - An invalid path and a document of more than 1 MiB are rejected with `invalidArgument`, and nothing of
  ///   their batch is applied.
  ///
  /// Sources: `google.firestore.v1.Write` (`update_mask`), `google.firestore.v1.WriteResult` (`update_time`),
  /// and the limits in https://firebase.google.com/docs/firestore/quotas. A result without an update time
  /// counts as one with the commit time.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote that isn't expected.
  static func checkCommits(_ place: Place) async throws {
    let missing = try await place.fetch("a")
    #expect(missing != nil && missing?.fields == nil, "a missing document is returned without fields")

    let first = try await place.commit(place.set("a", ["n": 1, "m": ["x": 1]]))
    var document = try await place.fetch("a")
    #expect(document?.fields == ["n": 1, "m": ["x": 1]], "a fetch returns the committed fields")
    #expect(document?.updateTime == first.time, "the update time is the time of the commit")
    #expect(first.results.count == 1, "a commit has a result for each write")

    let update = DocumentWrite(
      place.path("a"), .update(["n": 2, "left": "aside"], mask: ["n", "m.x", "none"]),
      precondition: .updated(first.time))
    let second = try await place.commit(update)
    #expect(second.time.compare(first.time) > 0, "commit times increase")
    document = try await place.fetch("a")
    #expect(
      document?.fields == ["n": 2, "m": [:]], "an update changes the fields of its mask, and no others")
    #expect(document?.updateTime == second.time, "a change sets the update time")

    let same = try await place.commit(place.set("a", ["n": 2, "m": [:]]))
    #expect(
      try await place.fetch("a")?.updateTime == second.time, "a write without effect keeps the update time")
    #expect(
      same.results.first?.updateTime ?? same.time == second.time, "the result has the time of the last change"
    )

    try await place.commit(
      place.set("b", ["n": 1]), DocumentWrite(place.path("b"), .update(["n": 2], mask: ["n"])),
      DocumentWrite(place.path("c"), .update(["n": 3], mask: ["n"])),
      DocumentWrite(place.path("a"), .delete), DocumentWrite(place.path("none"), .delete))
    #expect(
      try await place.fetch("b")?.fields == ["n": 2], "writes to one document are applied in order")
    #expect(try await place.fetch("c")?.fields == ["n": 3], "an update can create a document")
    #expect(try await place.fetch("a")?.fields == nil, "a deleted document has no fields")

    for bad in [ResourcePath(segments: ["contract"]), ResourcePath(segments: ["contract", "__bad__"])] {
      try await expect(.invalidArgument, "an invalid document path is rejected") {
        try await place.commit(place.set("d", [:]), DocumentWrite(bad, .set([:])))
      }
    }
    try await expect(.invalidArgument, "a document of more than 1 MiB is rejected") {
      try await place.commit(
        place.set("d", [:]),
        place.set("e", ["text": .string(String(repeating: "x", count: Fields.maximumDocumentSize))]))
    }
    #expect(
      try await place.fetch("d")?.fields == nil, "an invalid write rejects its whole batch"
    )
  }

  /// Checks that a batch is rejected as a whole if a precondition doesn't hold, for each kind of write:
  /// - `exists(false)` on a document that exists: `alreadyExists`.
  /// - `exists(true)` on a document that doesn't exist: `notFound`.
  /// - `updated` with another time than the document's, or on a document that doesn't exist:
  ///   `failedPrecondition`.
  ///
  /// A precondition applies to the state that the earlier writes of the batch have produced.
  ///
  /// Each of the twelve batches begins with a write that would succeed, and it must not be applied. Source:
  /// `google.firestore.v1.Precondition`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote that isn't expected.
  static func checkPreconditions(_ place: Place) async throws {
    let first = try await place.commit(place.set("a", ["n": 1]))
    try await place.commit(place.set("a", ["n": 2]))
    let rejected: [(WritePrecondition, String, StoreRemoteError.Code)] = [
      (.exists(false), "a", .alreadyExists), (.exists(true), "none", .notFound),
      (.updated(first.time), "a", .failedPrecondition), (.updated(first.time), "none", .failedPrecondition),
    ]
    for (precondition, id, code) in rejected {
      for operation in [DocumentWrite.Operation.set([:]), .update([:], mask: ["n"]), .delete] {
        try await expect(code, "the code identifies the precondition that doesn't hold") {
          let write = DocumentWrite(place.path(id), operation, precondition: precondition)
          try await place.commit(place.set("b", ["n": 5]), write)
        }
      }
    }
    #expect(try await place.fetch("b")?.fields == nil, "a commit is atomic")
    #expect(try await place.fetch("a")?.fields == ["n": 2], "a commit is atomic")
    try await place.commit(
      DocumentWrite(place.path("b"), .set(["n": 1]), precondition: .exists(false)),
      DocumentWrite(place.path("b"), .update(["n": 2], mask: ["n"]), precondition: .exists(true)))
    #expect(
      try await place.fetch("b")?.fields == ["n": 2],
      "a precondition applies to the result of the earlier writes of its batch")
  }

  /// Checks field transforms:
  /// - They are applied in order, after the write of the same document, each to the result of the earlier
  ///   ones.
  /// - The response has one result per transform, which is `null` for the transforms of arrays.
  /// - All server timestamps of a commit are equal, and their resolution is a millisecond.
  ///
  /// Source: `google.firestore.v1.DocumentTransform.FieldTransform`, in particular `set_to_server_value`, and
  /// `google.firestore.v1.WriteResult` (`transform_results`).
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote that isn't expected.
  static func checkTransforms(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1, "d": 0.5, "list": [1, 2]]))
    let write = DocumentWrite(
      place.path("a"), .update(["x": true], mask: ["x"]),
      transforms: [
        FieldTransform("n", .increment(2)), FieldTransform("n", .maximum(10)),
        FieldTransform("d", .minimum(1)),
        FieldTransform("list", .union([2, 3])), FieldTransform("list", .remove([1])),
        FieldTransform("at", .serverTimestamp), FieldTransform("m.also", .serverTimestamp),
      ])
    let commit = try await place.commit(write)
    let fields = try #require(try await place.fetch("a")?.fields)
    #expect(
      fields["n"] == 10 && fields["d"] == 0.5 && fields["x"] == true && fields["list"] == [2, 3],
      "transforms are applied in order to the current values")
    let results = commit.results.first?.transformResults ?? []
    #expect(
      results.prefix(5) == [3, 10, 0.5, .null, .null],
      "there is one result per transform, null for arrays")
    #expect(results.count == 7 && results[5] == results[6], "all server timestamps of a commit are equal")
    guard case .timestamp(let time)? = fields["at"] else {
      Issue.record("a server timestamp is stored as a timestamp")
      return
    }
    #expect(
      fields[FieldPath(["m", "also"])] == .timestamp(time) && results.last == .timestamp(time),
      "all server timestamps of a commit are equal")
    #expect(
      time.nanoseconds.isMultiple(of: 1_000_000), "the resolution of server timestamps is a millisecond")
  }

  /// Checks reads outside streams:
  /// - Each requested document is returned, including those that don't exist.
  /// - Queries apply filters, orders, limits and cursors.
  /// - A collection group query includes the collections of its ID at every depth; a collection query
  ///   doesn't.
  /// - An invalid query is rejected with `invalidArgument`.
  /// - Aggregations cover only the documents that have every aggregated field, and respect the limit. Over no
  ///   documents, a sum is 0 and an average `null`.
  ///
  /// Sources: the calls `BatchGetDocuments`, which may return documents in any order, `RunQuery` and
  /// `RunAggregationQuery` of `google.firestore.v1.Firestore`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote that isn't expected.
  static func checkReads(_ place: Place) async throws {
    let (remote, context) = (place.remote, place.context)
    try await place.commit(
      place.set("a", ["n": 3]), place.set("b", ["n": 1]), place.set("c", ["n": 2]), place.set("d", ["m": 2]))
    let fetched = try await remote.fetch([place.path("b"), place.path("none")], in: context)
    #expect(
      Set(fetched.map(\.path)) == [place.path("b"), place.path("none")],
      "every requested document is returned")

    let sorted = try await remote.run(place.query(orderedBy: "n"), in: context)
    #expect(sorted.map(\.path.id) == ["b", "c", "a"], "the result is in the order of the query")
    #expect(sorted.allSatisfy { $0.fields != nil }, "the result contains existing documents only")
    let limited = try await remote.run(
      place.query(.field("n", .greaterThan, 1), limit: 1), in: context)
    #expect(limited.map(\.path.id) == ["c"], "the result is within the limit of the query")
    var cursor = place.query(orderedBy: "n")
    cursor.start = QueryCursor(values: [1], isInclusive: false)
    cursor.end = QueryCursor(values: [3], isInclusive: true)
    #expect(
      try await remote.run(cursor, in: context).map(\.path.id) == ["c", "a"], "cursors bound the result")

    try await place.commit(
      DocumentWrite(place.path("a").appending(place.collection).appending("below"), .set(["n": 4])))
    var group = place.group
    group.orders = [QueryOrder(field: "n")]
    #expect(
      try await remote.run(group, in: context).map(\.path.id) == ["b", "c", "a", "below"],
      "a collection group query covers every depth")
    #expect(
      try await remote.run(place.all, in: context).count == 4,
      "a collection query excludes nested collections")
    try await expect(.invalidArgument, "an invalid query is rejected") {
      _ = try await remote.run(place.query(.field("n", .in, [])), in: context)
    }

    let values = try await remote.aggregate(
      place.all, [.count, .sum("n"), .average("n")], in: context)
    #expect(values == [3, 6, 2.0], "documents without an aggregated field are excluded")
    #expect(
      try await remote.aggregate(place.all, [.count], in: context) == [4],
      "a count without other aggregations covers all documents")
    let none = try await remote.aggregate(place.all, [.count, .sum("x"), .average("x")], in: context)
    #expect(none == [0, 0, .null], "over no documents, a sum is 0 and an average null")
    let few = try await remote.aggregate(place.query(limit: 2), [.count], in: context)
    #expect(few == [2], "an aggregation respects the limit of the query")
    // In the order of `m`, the first two documents lack `k`.
    try await place.commit(
      place.set("e", ["m": 0]), place.set("f", ["m": 1]), place.set("g", ["m": 3, "k": 10]),
      place.set("h", ["m": 4, "k": 5]), place.set("i", ["m": 5, "k": 7]))
    let first = try await remote.aggregate(
      place.query(orderedBy: "m", limit: 2), [.sum("k"), .average("k"), .count], in: context)
    #expect(first == [15, 7.5, 2], "the limit counts only documents that have every aggregated field")
  }

  /// Checks that a document of one database isn't visible in another, neither by its path nor by a query.
  ///
  /// - Parameters:
  ///   - place: a collection without documents.
  ///   - other: the name of the other database, in which nothing is written.
  /// - Throws: an error of the remote.
  static func checkDatabases(_ place: Place, _ other: String) async throws {
    try await place.commit(place.set("a", ["n": 1]))
    let there = try await place.remote.fetch([place.path("a")], in: RemoteContext(database: other))
    #expect(there.first?.fields == nil, "databases are separate")
    #expect(
      try await place.remote.run(place.all, in: RemoteContext(database: other)).isEmpty,
      "databases are separate")
  }
}
