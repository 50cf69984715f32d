import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import Testing

extension StoreRemoteContract {
  /// Checks that a query that is resumed with a resume token or a read time reaches the current state:
  /// - Documents that were changed, deleted or left the result since are reported, and no others.
  /// - The target isn't reset.
  /// - A token that the remote doesn't recognize leads to the complete state from the beginning.
  ///
  /// Two commits are made between the streams, and the client keeps the documents of the first stream.
  /// Source: `resume_type` in `google.firestore.v1.Target`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote, or of `#require` if the target has no resume token or the stream no
  ///   read time.
  static func checkResumption(_ place: Place) async throws {
    let query = place.query(.field("n", .greaterThan, 0))
    try await place.commit(
      place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]), place.set("d", ["n": 4]))
    var first = place.listen()
    first.add(1, .query(query))
    try await first.until { $0.isCurrent(1) }
    let token = try #require(first.token(1))
    let time = try #require(first.readTime)
    first.end()

    try await place.commit(place.set("a", ["n": -1]), DocumentWrite(place.path("b"), .delete))
    try await place.commit(place.set("d", ["n": 5]), place.set("e", ["n": 6]), place.set("x", ["n": -1]))
    for resumption in [ListenTarget.Resumption.token(token), .readTime(time)] {
      var resumed = place.listen()
      resumed.keep(1, from: first)
      resumed.add(1, .query(query), resumption)
      try await resumed.until { $0.isCurrent(1) }
      #expect(resumed.held(1) == ["c", "d", "e"], "a resumed target reaches the current state")
      #expect(
        resumed.wasMentioned("b") && resumed.wasMentioned("a"),
        "documents that left the result or were deleted are reported")
      #expect(!resumed.wasMentioned("c") && !resumed.wasMentioned("x"), "only later changes are sent")
      #expect(!resumed.wasReset(1), "a resumed target isn't reset")
      resumed.end()
    }

    var foreign = place.listen()
    foreign.keep(1, from: first)
    foreign.add(1, .query(query), .token(Data("not a valid token".utf8)))
    try await foreign.until { $0.isCurrent(1) }
    #expect(foreign.held(1) == ["c", "d", "e"], "a target with an unknown token is sent from the beginning")
    foreign.end()
  }

  /// Checks that resuming a limited query also sends documents that have entered its result without a change
  /// of their own, and that the result stays within its limit afterwards.
  ///
  /// A remote that sent only changed documents would miss them: when `a` is deleted, `c` becomes one of the
  /// first two documents although `c` itself is unchanged.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote, or of `#require` if the target has no resume token.
  static func checkResumedLimit(_ place: Place) async throws {
    let query = place.query(orderedBy: "n", limit: 2)
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]))
    var first = place.listen()
    first.add(1, .query(query))
    try await first.until { $0.isCurrent(1) }
    let token = try #require(first.token(1))
    first.end()
    #expect(first.held(1) == ["a", "b"], "a limited target is within its limit")

    try await place.commit(DocumentWrite(place.path("a"), .delete))
    var resumed = place.listen()
    resumed.keep(1, from: first)
    resumed.add(1, .query(query), .token(token))
    try await resumed.until { $0.isCurrent(1) }
    #expect(
      resumed.held(1) == ["b", "c"], "an unchanged document that entered the result is sent")

    let commit = try await place.commit(place.set("d", ["n": 0]))
    try await resumed.until(commit.time)
    #expect(resumed.held(1) == ["d", "b"], "a resumed target stays within its limit")
    resumed.end()
  }

  /// Checks that a target of individual documents contains those that exist, and that a resumed one receives
  /// only what has changed since.
  ///
  /// Between the streams, one document is deleted and one created. Source: `DocumentsTarget` in
  /// `google.firestore.v1.Target`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote, or of `#require` if the target has no resume token.
  static func checkResumedDocuments(_ place: Place) async throws {
    let content = ListenTarget.Content.documents([place.path("a"), place.path("b"), place.path("c")])
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]))
    var first = place.listen()
    first.add(1, content)
    try await first.until { $0.isCurrent(1) }
    let token = try #require(first.token(1))
    first.end()
    #expect(first.held(1) == ["a", "b"], "a target of documents contains those that exist")

    try await place.commit(DocumentWrite(place.path("a"), .delete), place.set("c", ["n": 3]))
    var resumed = place.listen()
    resumed.keep(1, from: first)
    resumed.add(1, content, .token(token))
    try await resumed.until { $0.isCurrent(1) }
    #expect(resumed.held(1) == ["b", "c"], "a resumed target of documents reaches the current state")
    #expect(!resumed.wasMentioned("b"), "only later changes are sent")
    resumed.end()
  }

  /// Checks the existence filter of a resumed target:
  /// - If the expected count differs from the number of documents, a filter with the right count is sent.
  /// - If the counts are equal, a filter is optional, but must have the right count.
  /// - A Bloom filter is optional, but must be valid and contain the documents of the target.
  ///
  /// Here, `expectedCount` is the number of documents that the client has as of the resume token: 3 after a
  /// stream that sent three documents, although one of them has been deleted since. Sources: `expected_count`
  /// in `google.firestore.v1.Target` and `google.firestore.v1.ExistenceFilter`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote, or of `#require` if a resume token or the second filter is missing.
  static func checkExistenceFilters(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]))
    var first = place.listen()
    first.add(1, .query(place.all))
    try await first.until { $0.isCurrent(1) }
    let token = try #require(first.token(1))
    first.end()
    try await place.commit(DocumentWrite(place.path("a"), .delete))

    var equal = place.listen()
    equal.add(1, .query(place.all), .token(token), expectedCount: 3)
    try await equal.until { $0.isCurrent(1) }
    if let filter = equal.filter(1) {
      #expect(filter.count == 2, "the filter has the number of documents of the target")
    }
    equal.end()

    var different = place.listen()
    different.add(1, .query(place.all), .token(token), expectedCount: 5)
    try await different.until { $0.isCurrent(1) }
    let filter = try #require(
      different.filter(1), "a wrong expected count leads to an existence filter")
    #expect(filter.count == 2, "the filter has the number of documents of the target")
    if let bits = filter.names {
      let names = try #require(BloomFilter(bits), "the Bloom filter is valid")
      #expect(
        names.mayContain(place.path("b")) && names.mayContain(place.path("c")),
        "the Bloom filter contains the documents of the target"
      )
    }
    different.end()
  }
}
