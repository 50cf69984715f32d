import TenonDocuments
import TenonStoreInterop
import Testing

extension StoreRemoteContract {
  /// Checks a write stream:
  /// - It begins with `opened`, followed by one response per batch.
  /// - Batches are applied in order, also several that are sent without waiting for responses, and commit times increase.
  /// - It can be opened again with the last token.
  static func checkWriteStream(_ place: Place) async throws {
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    let opening = try await writing.next()
    guard case .opened(let token) = opening else {
      Issue.record("a stream of writes begins with its opening")
      return
    }
    // Three batches are in flight at once.
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
    var time: Timestamp?
    for number in 1...3 {
      guard case .committed(let commit, let token) = try await writing.next() else {
        Issue.record("each batch is answered")
        return
      }
      #expect(commit.results.last?.transformResults == [Value(number)], "batches are applied in their order")
      if let time { #expect(commit.time.compare(time) > 0, "time goes on with each batch") }
      time = commit.time
      last = token ?? last
    }
    #expect(try await place.fetch("a")?.fields == ["n": 3], "batches are applied in their order")
    writing.end()

    var again = RemoteWriting(place.remote, place.context, token: last)
    guard case .opened = try await again.next() else {
      Issue.record("a stream can be opened again with the token of an earlier one")
      return
    }
    again.send(RemoteBatch(writes: [DocumentWrite(place.path("a"), .delete)]))
    guard case .committed = try await again.next() else {
      Issue.record("each batch is answered")
      return
    }
    #expect(try await place.fetch("a")?.fields == nil, "a stream that was opened again goes on")
    again.end()
  }

  /// Checks that a rejected batch ends its stream with the error, that none of its writes are applied, and that the batches
  /// before it are unaffected.
  static func checkRefusedBatch(_ place: Place) async throws {
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    _ = try await writing.next()
    let impossible = DocumentWrite(place.path("none"), .delete, precondition: .exists(true))
    writing.send(RemoteBatch(writes: [place.set("a", ["n": 1])]))
    _ = try await writing.next()
    writing.send(RemoteBatch(writes: [place.set("b", ["n": 1]), impossible]))
    try await expect(.notFound, "a batch that is refused ends the stream with the reason") {
      _ = try await writing.next()
    }
    #expect(try await place.fetch("a")?.fields != nil, "what was answered before a refusal is applied")
    #expect(try await place.fetch("b")?.fields == nil, "of a refused batch nothing is applied")
  }

  /// Checks that a batch that is sent again, on its stream or outside a stream, isn't applied again and receives its first
  /// response, also if the document has changed since.
  static func checkBatchIDs(_ place: Place) async throws {
    let increment = DocumentWrite(
      place.path("a"), .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
    let batch = RemoteBatch(writes: [increment])
    var writing = RemoteWriting(place.remote, place.context, token: nil)
    _ = try await writing.next()
    writing.send(batch)
    guard case .committed(let first, _) = try await writing.next() else {
      Issue.record("each batch is answered")
      return
    }
    try await place.commit(increment)
    writing.send(batch)
    guard case .committed(let second, _) = try await writing.next() else {
      Issue.record("a batch that is sent again is answered again")
      return
    }
    let third = try await place.remote.commit(batch, in: place.context)
    for repeated in [second, third] {
      #expect(repeated.time == first.time, "a batch that is sent again gets its first answer")
      #expect(
        repeated.results.map(\.transformResults) == first.results.map(\.transformResults),
        "a batch that is sent again gets its first answer")
    }
    #expect(try await place.fetch("a")?.fields == ["n": 2], "a batch that is sent again isn't applied again")
    writing.end()
  }

  /// Checks the events of a query:
  /// - The target is confirmed, sent completely with fields and update times, and then current. It has a resume token.
  /// - Documents that enter the result, change within it, leave it, are deleted or return are reported. Documents that never
  ///   belong to it are not.
  /// - A removal is confirmed.
  static func checkListening(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("x", ["n": -1]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .greaterThan, 0))))
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.isAdded(1), "a target that is watched is confirmed")
    #expect(listening.held(1) == ["a"], "a target is sent whole, and then it is current")
    #expect(listening.document("a")?.fields == ["n": 1], "documents are sent with their fields")
    #expect(listening.token(1) != nil, "a target can be continued")

    var commit = try await place.commit(place.set("b", ["n": 2]), place.set("c", ["n": -1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b"], "what comes to belong to a target is sent")
    #expect(!listening.wasTold("c"), "only what belongs to a target is sent")
    #expect(
      listening.document("b")?.updateTime == commit.time, "documents are sent with the time of their change")

    commit = try await place.commit(place.set("a", ["n": 5]))
    try await listening.until(commit.time)
    #expect(
      listening.document("a")?.fields == ["n": 5] && listening.held(1) == ["a", "b"], "changes are sent")

    commit = try await place.commit(place.set("a", ["n": -5]), DocumentWrite(place.path("b"), .delete))
    try await listening.until(commit.time)
    #expect(listening.held(1).isEmpty, "what left a target and what was deleted is told")

    commit = try await place.commit(place.set("b", ["n": 1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["b"], "what comes back is sent again")

    listening.remove(1)
    try await listening.until { $0.isRemoved(1) }
    listening.end()
  }

  /// Checks that the result of a limited query stays complete and within its limit: when a document enters, is deleted, moves
  /// beyond the limit, and when several change in one commit.
  static func checkLimits(_ place: Place) async throws {
    try await place.commit(
      place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]), place.set("d", ["n": 4]))
    var listening = place.listen()
    listening.add(1, .query(place.query(orderedBy: "n", limit: 2)))
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.held(1) == ["a", "b"], "a target has no more documents than its limit")

    var commit = try await place.commit(place.set("e", ["n": 0]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["e", "a"], "what enters a full target pushes another document out")
    commit = try await place.commit(DocumentWrite(place.path("a"), .delete))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["e", "b"], "what goes makes room for what follows")
    commit = try await place.commit(place.set("e", ["n": 9]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["b", "c"], "what moves behind the limit makes room")
    commit = try await place.commit(place.set("d", ["n": 1]), place.set("b", ["n": 8]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["d", "c"], "several documents may change places at once")
    listening.end()
  }

  /// Checks targets of a collection group, a descending order with a limit, cursors and a disjunction, initially and after a
  /// commit. A document without the ordered field doesn't belong to an ordered query.
  static func checkShapes(_ place: Place) async throws {
    let below = place.path("a").appending("items").appending("below")
    try await place.commit(
      place.set("a", ["n": 1]), place.set("b", ["n": 2]), place.set("c", ["n": 3]), place.set("d", ["m": 4]),
      DocumentWrite(below, .set(["n": 5])))
    var group = place.all
    group.allDescendants = true
    var descending = place.query(orderedBy: "n", limit: 2)
    descending.orders = [QueryOrder(field: "n", isDescending: true)]
    var cursor = place.query(orderedBy: "n")
    cursor.start = QueryCursor(values: [1], isInclusive: false)
    cursor.end = QueryCursor(values: [3], isInclusive: false)
    let either = place.query(.or([.field("n", .equal, 1), .field("m", .equal, 4)]))

    var listening = place.listen()
    for (id, query) in [1: group, 2: descending, 3: cursor, 4: either] { listening.add(id, .query(query)) }
    try await listening.until { listening in (1...4).allSatisfy { listening.isCurrent($0) } }
    #expect(listening.held(1) == ["a", "b", "c", "d", "below"], "a group has collections at every depth")
    #expect(listening.held(2) == ["b", "c"], "a limit holds the first documents of the order")
    #expect(
      listening.held(3) == ["b"], "cursors bound a target, and what lacks the ordered field is none of it")
    #expect(listening.held(4) == ["a", "d"], "a target may have alternatives")

    let commit = try await place.commit(
      DocumentWrite(below, .delete), place.set("b", ["n": 0]), place.set("d", ["n": 2]),
      place.set("e", ["n": 9]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b", "c", "d", "e"], "a group has collections at every depth")
    #expect(listening.held(2) == ["c", "e"], "a limit holds the first documents of the order")
    #expect(listening.held(3) == ["d"], "a document that gets the ordered field comes into the order")
    #expect(listening.held(4) == ["a"], "a target may have alternatives")
    listening.end()
  }

  /// Checks that the targets of one stream agree at each consistent snapshot, also when documents move from one to another,
  /// and that removing a target ends its events and leaves the others.
  static func checkSeveralTargets(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .lessThan, 2))))
    listening.add(2, .query(place.query(.field("n", .greaterThanOrEqual, 2))))
    listening.add(3, .documents([place.path("a"), place.path("none")]))
    try await listening.until { $0.isCurrent(1) && $0.isCurrent(2) && $0.isCurrent(3) }
    #expect(
      listening.held(1) == ["a"] && listening.held(2) == ["b"] && listening.held(3) == ["a"],
      "several targets are sent on one stream")

    let commit = try await place.commit(place.set("a", ["n": 3]), place.set("b", ["n": 0]))
    try await listening.until(commit.time)
    #expect(
      listening.held(1) == ["b"] && listening.held(2) == ["a"] && listening.held(3) == ["a"],
      "at one moment all targets agree")
    #expect(listening.document("a")?.fields == ["n": 3], "a document that changes targets has its new state")

    listening.remove(2)
    try await listening.until { $0.isRemoved(2) }
    let later = try await place.commit(
      place.set("b", ["n": 1]), DocumentWrite(place.path("a"), .delete), place.set("none", ["n": 1]))
    try await listening.until(later.time)
    #expect(listening.held(1) == ["b", "none"] && listening.held(3) == ["none"], "the other targets go on")
    #expect(listening.held(2).isEmpty, "a target that was removed gets nothing more")
    listening.end()
  }

  /// Checks that the ID of a removed target can be used again immediately, before the removal is confirmed.
  static func checkTargetsAnew(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]), place.set("b", ["n": 2]))
    var listening = place.listen()
    listening.add(1, .query(place.query(.field("n", .equal, 1))))
    try await listening.until { $0.isCurrent(1) }
    // Neither request waits for its confirmation.
    listening.remove(1)
    listening.add(1, .query(place.query(.field("n", .equal, 2))))
    try await listening.until { $0.isRemoved(1) }
    try await listening.until { $0.isCurrent(1) }
    #expect(listening.held(1) == ["b"], "the number of a target that was removed can be used again")
    listening.end()
  }

  /// Checks that an invalid query ends its target with `invalidArgument`, and that the other targets continue.
  static func checkTargetErrors(_ place: Place) async throws {
    try await place.commit(place.set("a", ["n": 1]))
    var listening = place.listen()
    listening.add(1, .query(place.all))
    listening.add(2, .query(place.query(.field("n", .in, []))))
    try await listening.until { $0.error(2) != nil && $0.isCurrent(1) }
    #expect(
      (listening.error(2) as? StoreRemoteError)?.code == .invalidArgument,
      "a bad query ends its target with an error")
    let commit = try await place.commit(place.set("b", ["n": 1]))
    try await listening.until(commit.time)
    #expect(listening.held(1) == ["a", "b"], "what ends one target leaves the others")
    listening.end()
  }
}
