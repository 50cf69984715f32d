import TenonDocuments
import TenonStoreInterop
import Testing

extension StoreRemoteContract {
  /// Checks a write stream:
  /// - It begins with `opened`, followed by one response per batch.
  /// - Batches are applied in order, also if several are sent without waiting for responses. Commit times
  ///   increase.
  /// - It can be opened again with the last token. A response without a token leaves the previous one valid.
  ///
  /// Three batches are in flight at the same time, each of which replaces one document and increments a
  /// number in another, so that a batch that is skipped, repeated or applied out of order changes a result.
  /// Source: `google.firestore.v1.Firestore.Write`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkWriteStream(_ place: Place) async throws {
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    let opening = try await writing.next()
    guard case .opened(let token) = opening else {
      Issue.record("a write stream begins with `opened`")
      return
    }
    // Three batches are in flight at the same time.
    for number in 1...3 {
      writing.send(
        RemoteBatch(writes: [
          place.set("a", ["n": Value(number)]),
          DocumentWrite(
            place.path("b"), .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))]),
        ])
      )
    }
    var last = token
    var previous: RemoteCommit?
    for number in 1...3 {
      guard case .committed(let commit, let token) = try await writing.next() else {
        Issue.record("each batch receives a response")
        return
      }
      #expect(commit.results.last?.transformResults == [Value(number)], "batches are applied in order")
      if let previous {
        #expect(
          previous.isFollowed ? commit.time == previous.time : commit.time.compare(previous.time) > 0,
          "commit times increase from one commit to the next")
      }
      previous = commit
      last = token ?? last
    }
    #expect(try await place.fetch("a")?.fields == ["n": 3], "batches are applied in order")
    writing.end()

    var again = RemoteWriting(place.remote, place.context, token: last)
    guard case .opened = try await again.next() else {
      Issue.record("a stream can be reopened with the last token")
      return
    }
    again.send(RemoteBatch(writes: [DocumentWrite(place.path("a"), .delete)]))
    guard case .committed = try await again.next() else {
      Issue.record("each batch receives a response")
      return
    }
    #expect(try await place.fetch("a")?.fields == nil, "a reopened stream applies batches")
    again.end()
  }

  /// Checks that a rejected batch ends its stream with the error, that none of its writes are applied, and
  /// that the batches before it are unaffected.
  ///
  /// The rejected batch consists of a write that would succeed and one whose precondition doesn't hold.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote that isn't expected.
  static func checkRejectedBatch(_ place: Place) async throws {
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    _ = try await writing.next()
    let impossible = DocumentWrite(place.path("none"), .delete, precondition: .exists(true))
    writing.send(RemoteBatch(writes: [place.set("a", ["n": 1])]))
    _ = try await writing.next()
    writing.send(RemoteBatch(writes: [place.set("b", ["n": 1]), impossible]))
    try await expect(.notFound, "a rejected batch ends the stream with its error") {
      _ = try await writing.next()
    }
    #expect(try await place.fetch("a")?.fields != nil, "a batch before the rejected one is applied")
    #expect(try await place.fetch("b")?.fields == nil, "no write of a rejected batch is applied")
  }

  /// Checks that a batch that is sent again, on its stream or outside a stream, isn't applied again and
  /// receives its first response, also if the document has changed since.
  ///
  /// Clients repeat a batch whose response was lost with the connection, so a remote without this ability may
  /// apply it twice. `google.firestore.v1` has no such ID; see the requirements of `StoreRemote`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkBatchIDs(_ place: Place) async throws {
    let increment = DocumentWrite(
      place.path("a"), .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
    let batch = RemoteBatch(writes: [increment])
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    _ = try await writing.next()
    writing.send(batch)
    guard case .committed(let first, _) = try await writing.next() else {
      Issue.record("each batch receives a response")
      return
    }
    try await place.commit(increment)
    writing.send(batch)
    guard case .committed(let second, _) = try await writing.next() else {
      Issue.record("a repeated batch receives a response")
      return
    }
    let third = try await place.remote.commit(batch, in: place.context)
    for repeated in [second, third] {
      #expect(repeated.time == first.time, "a repeated batch receives its first response")
      #expect(
        repeated.results.map(\.transformResults) == first.results.map(\.transformResults),
        "a repeated batch receives its first response")
    }
    #expect(try await place.fetch("a")?.fields == ["n": 2], "a repeated batch isn't applied again")
    writing.end()
  }

  /// Checks the events of a query:
  /// - The target is confirmed, sent completely with fields and update times, and then current. It has a
  ///   resume token.
  /// - Documents that enter the result, change within it, leave it, are deleted or return are reported.
  ///   Documents that never belong to it aren't.
  /// - A removal is confirmed.
  ///
  /// The documents of the target are compared at consistent snapshots: after the first one, and after each
  /// commit at the first snapshot whose read time isn't earlier. Source:
  /// `google.firestore.v1.Firestore.Listen`.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkListening(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("x", ["n": -1]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .greaterThan, 0))))
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.isAdded(1), "an added target is confirmed")
    #expect(listening.held(1) == ["a"], "a target is complete before it is current")
    #expect(listening.document("a")?.fields == ["n": 1], "documents are sent with their fields")
    #expect(listening.token(1) != nil, "a current target has a resume token")

    var commit = try await place.commit(place.set("b", ["n": 2]), place.set("c", ["n": -1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b"], "a document that enters the result is sent")
    #expect(!listening.wasMentioned("c"), "a document outside the result isn't sent")
    #expect(
      listening.document("b")?.updateTime == commit.time, "documents are sent with their update time")

    commit = try await place.commit(place.set("a", ["n": 5]))
    try await listening.until(commit.time)
    #expect(
      listening.document("a")?.fields == ["n": 5] && listening.held(1) == ["a", "b"],
      "a change within the result is sent")

    commit = try await place.commit(place.set("a", ["n": -5]), DocumentWrite(place.path("b"), .delete))
    try await listening.until(commit.time)
    #expect(listening.held(1).isEmpty, "documents that leave the result or are deleted are reported")

    commit = try await place.commit(place.set("b", ["n": 1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["b"], "a document that returns to the result is sent again")

    listening.remove(1)
    try await listening.until { $0.isRemoved(1) }
    listening.end()
  }

  /// Checks that the result of a limited query stays complete and within its limit: when a document enters,
  /// is deleted, moves beyond the limit, and when several change in one commit.
  ///
  /// The collection always has more documents than the limit of 2, so each departure must be followed by the
  /// arrival of the next document, which didn't change itself.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkLimits(_ place: Place) async throws {
    try await place.commit(
      place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]), place.set("d", ["n": 4]))
    var listening = place.listen()
    listening.add(1, .query(place.query(orderedBy: "n", limit: 2)))
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.held(1) == ["a", "b"], "a limited target is within its limit")

    var commit = try await place.commit(place.set("e", ["n": 0]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["e", "a"], "a document that enters displaces the last one")
    commit = try await place.commit(DocumentWrite(place.path("a"), .delete))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["e", "b"], "the next document replaces a deleted one")
    commit = try await place.commit(place.set("e", ["n": 9]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["b", "c"], "the next document replaces one that moves beyond the limit")
    commit = try await place.commit(place.set("d", ["n": 1]), place.set("b", ["n": 8]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["d", "c"], "several documents can enter and leave in one commit")
    listening.end()
  }

  /// Checks targets of a collection group, a descending order with a limit, cursors and a disjunction,
  /// initially and after a commit. A document without the ordered field doesn't belong to an ordered query.
  ///
  /// All four targets are on one stream, and the commit changes the result of each.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkShapes(_ place: Place) async throws {
    let below = place.path("a").appending(place.collection).appending("below")
    try await place.commit(
      place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]), place.set("d", ["m": 4]),
      DocumentWrite(below, .set(["n": 5])))
    var descending = place.query(orderedBy: "n", limit: 2)
    descending.orders = [QueryOrder(field: "n", isDescending: true)]
    var cursor = place.query(orderedBy: "n")
    cursor.start = QueryCursor(values: [1], isInclusive: false)
    cursor.end = QueryCursor(values: [3], isInclusive: false)
    let either = place.query(.or([.field("n", .equal, 1), .field("m", .equal, 4)]))

    var listening = place.listen()
    for (id, query) in [1: place.group, 2: descending, 3: cursor, 4: either] {
      listening.add(id, .query(query))
    }
    try await listening.until { listening in (1...4).allSatisfy { listening.isCurrent($0) } }
    #expect(
      listening.held(1) == ["a", "b", "c", "d", "below"], "a collection group target covers every depth")
    #expect(listening.held(2) == ["b", "c"], "a limited target contains the first documents of the order")
    #expect(
      listening.held(3) == ["b"],
      "cursors bound a target, and documents without the ordered field are excluded")
    #expect(listening.held(4) == ["a", "d"], "a target can be a disjunction")

    let commit = try await place.commit(
      DocumentWrite(below, .delete), place.set("b", ["n": 0]), place.set("d", ["n": 2]),
      place.set("e", ["n": 9]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b", "c", "d", "e"], "a collection group target covers every depth")
    #expect(listening.held(2) == ["c", "e"], "a limited target contains the first documents of the order")
    #expect(listening.held(3) == ["d"], "a document that receives the ordered field enters the result")
    #expect(listening.held(4) == ["a"], "a target can be a disjunction")
    listening.end()
  }

  /// Checks that the targets of one stream agree at each consistent snapshot, also when documents move from
  /// one to another, and that removing a target ends its events and leaves the others.
  ///
  /// Two of the queries divide the documents between them, and one commit exchanges two documents. If only
  /// one target were up to date at a snapshot, a document would belong to both or to neither.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkSeveralTargets(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .lessThan, 2))))
    listening.add(2, .query(place.query(.field("n", .greaterThanOrEqual, 2))))
    listening.add(3, .documents([place.path("a"), place.path("none")]))
    try await listening.until { $0.isCurrent(1) && $0.isCurrent(2) && $0.isCurrent(3) }
    #expect(
      listening.held(1) == ["a"] && listening.held(2) == ["b"] && listening.held(3) == ["a"],
      "one stream serves several targets")

    let commit = try await place.commit(place.set("a", ["n": 3]), place.set("b", ["n": 0]))
    try await listening.until(commit.time)
    #expect(
      listening.held(1) == ["b"] && listening.held(2) == ["a"] && listening.held(3) == ["a"],
      "all targets are consistent at a snapshot")
    #expect(
      listening.document("a")?.fields == ["n": 3], "a document that moves between targets has its new state")

    listening.remove(2)
    try await listening.until { $0.isRemoved(2) }
    let later = try await place.commit(
      place.set("b", ["n": 1]), DocumentWrite(place.path("a"), .delete), place.set("none", ["n": 1]))
    try await listening.until(later.time)
    #expect(
      listening.held(1) == ["b", "none"] && listening.held(3) == ["none"], "the other targets continue")
    #expect(listening.held(2).isEmpty, "a removed target receives no more documents")
    listening.end()
  }

  /// Checks that the ID of a removed target can be used again immediately, before the removal is confirmed.
  ///
  /// The confirmation of the removal must arrive before the events of the new target, because it is the only
  /// thing by which a client can distinguish the events of the two.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkReusedTargetID(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .equal, 1))))
    try await listening.until { $0.isCurrent(1) }
    // Neither request waits for its confirmation.
    listening.remove(1)
    listening.add(1, .query(place.query(.field("n", .equal, 2))))
    try await listening.until { $0.isRemoved(1) }
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.held(1) == ["b"], "the ID of a removed target can be reused")
    listening.end()
  }

  /// Checks that an invalid query ends its target with `invalidArgument`, and that the other targets
  /// continue.
  ///
  /// The query is invalid because its `in` condition has no values.
  ///
  /// - Parameter place: a collection without documents.
  /// - Throws: an error of the remote.
  static func checkTargetErrors(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]))
    var listening = place.listen()
    listening.add(1, .query(place.all))
    listening.add(2, .query(place.query(.field("n", .in, []))))
    try await listening.until { $0.error(2) != nil && $0.isCurrent(1) }
    #expect(
      (listening.error(2) as? StoreRemoteError)?.code == .invalidArgument,
      "an invalid query ends its target with an error")
    let commit = try await place.commit(place.set("b", ["n": 1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b"], "the error of one target doesn't affect the others")
    listening.end()
  }
}
