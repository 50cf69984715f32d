import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Answers to batches that the remote has applied in one commit, so that their documents have one version.
@Suite(.limited) struct CommitGroupTests {
  private let path = ResourcePath(segments: ["c", "d"])

  /// Returns an engine that has sent increments of one document.
  ///
  /// - Parameter isKnown: whether the remote has sent the document before, with the number 1.
  private func sent(_ count: Int, isKnown: Bool = false) throws -> DrivenSync {
    let driven = try DrivenSync(pipelineDepth: 100)
    if isKnown {
      _ = try driven.listen()
      try driven.acknowledgeTargets()
      try driven.sendSnapshot(at: 1, ["d"])
    }
    for _ in 0..<count {
      let write = DocumentWrite(
        path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(1))])
      try driven.sync.write([write]) { _ in }
    }
    try driven.sync.remote?.receive(.opened(token: nil))
    return driven
  }

  /// The answer to the batch whose result is a number, all of which were committed at second 5.
  private func answer(_ number: Int, isFollowed: Bool) -> WriteEvent {
    var commit = RemoteCommit(
      time: Timestamp(seconds: 5), results: [.init(transformResults: [.integer(Int64(number))])])
    commit.isFollowed = isFollowed
    return .committed(commit, token: nil)
  }

  private func number(_ driven: DrivenSync) throws -> Value? {
    try driven.local.reader.document(path)?.fields["n"]
  }

  @Test(arguments: [1, 2, 5]) func theLastAnswerIsTheStateOfTheDocument(perDelivery: Int) throws {
    let driven = try sent(5)
    var events = (1...5).map { answer($0, isFollowed: $0 < 5) }
    while !events.isEmpty {
      try driven.sync.remote?.receive(Array(events.prefix(perDelivery)))
      events.removeFirst(min(perDelivery, events.count))
      #expect(try number(driven) == 5, "Users see their writes all the time.")
    }
    #expect(try driven.local.batches().isEmpty)
    let base = try #require(try driven.local.reader.base(of: path))
    #expect(base.version == Timestamp(seconds: 5) && base.isCommitted)
  }

  /// The state that the remote has sent contains all of them.
  @Test func whatTheRemoteHasSentBeforeTheLastAnswerIsNotIncrementedAgain() throws {
    let driven = try sent(3, isKnown: true)
    try driven.sync.remote?.receive(answer(2, isFollowed: true))
    #expect(try driven.local.batches().count == 3, "An answer that others follow isn't saved alone.")
    let ids = driven.streams.targets.map(\.id)
    let time = Timestamp(seconds: 5)
    let document = RemoteDocument(path: path, fields: ["n": 4], createTime: time, updateTime: time)
    try driven.sync.remote?.receive(.document(document, added: ids, removed: []))
    try driven.sync.remote?.receive(.target(TargetChange(.noChange, readTime: time)))
    #expect(try number(driven) == 4)
    for number in 3...4 { try driven.sync.remote?.receive(answer(number, isFollowed: number < 4)) }
    #expect(try number(driven) == 4)
    #expect(try driven.local.batches().isEmpty)
  }

  /// As answers that get lost in the network: the batches are sent again.
  @Test func answersThatOthersShouldFollowCountAsLostWhenTheStreamEnds() throws {
    let driven = try sent(3)
    try driven.sync.remote?.receive(answer(1, isFollowed: true))
    driven.sync.remote?.disableNetwork()
    driven.sync.remote?.enableNetwork()
    #expect(try driven.local.batches().count == 3)
    try driven.sync.remote?.receive(.opened(token: nil))
    #expect(driven.streams.batches.count == 6)
  }
}
