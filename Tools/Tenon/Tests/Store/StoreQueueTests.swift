import Foundation
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// `tenon store queue`.
@Suite(.limited(of: .processes)) struct StoreQueueTests {
  /// Queues a write of Ann and one of Bob, who is signed in, over a document of both.
  private func queue() async throws -> (tool: StoreTool, ann: UUID, bob: UUID) {
    let (tool, auth) = (try StoreTool(), FakeAuth())
    let store = tool.store(remote: FakeStoreRemote(), auth: auth)
    try await store.disableNetwork()
    auth.signIn(userID: "ann")
    try await store.document("notes/a").setData(["n": 1])
    let ann = try #require(try await store.queuedWrites.first).id
    auth.signIn(userID: "bob")
    let batch = store.batch()
    try batch.setData(["n": 2], forDocument: store.document("notes/a"))
    try batch.deleteDocument(store.document("notes/b"))
    try await batch.commit()
    let bob = try #require(try await store.queuedWrites.first).id
    await store.engine.close()
    return (tool, ann, bob)
  }

  @Test func theBatchesOfAllUsersAreListed() async throws {
    let (tool, ann, bob) = try await queue()
    defer { tool.remove() }
    let text = try await tool.run("queue")
    #expect(text.lines.count == 6, "\(text.output)")
    #expect(text.lines[0].hasPrefix("pending \(ann) ") && text.lines[0].hasSuffix(", user ann"))
    #expect(
      text.lines[1] == "  set notes/a" && text.lines[3] == "  set notes/a"
        && text.lines[4] == "  delete notes/b")
    #expect(text.lines[5] == "tenon store queue: 2 pending batches, 0 rejected")
    let json = try #require(try await tool.run("queue", ["--json"]).json() as? [[String: Any]])
    #expect(json.map { $0["id"] as? String } == [ann.uuidString, bob.uuidString])
    #expect(json.map { $0["state"] as? String } == ["pending", "pending"])
    #expect(json.map { ($0["writes"] as? [Any])?.count } == [1, 2])
  }

  @Test func rejectedWritesHaveTheirReason() async throws {
    let (tool, remote) = (try StoreTool(), FakeStoreRemote())
    defer { tool.remove() }
    let store = tool.store(remote: remote)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "You may not.")))
    try await store.document("notes/a").setData(["n": 1])
    try await store.waitForPendingWrites()
    await store.engine.close()
    let text = try await tool.run("queue")
    #expect(
      text.lines.first?.hasPrefix("rejected ") == true
        && text.lines.first?.hasSuffix("signed-out user") == true)
    #expect(text.lines[1] == "  permission-denied: You may not.")
    let json = try #require(try await tool.run("queue", ["--json"]).json() as? [[String: Any]])
    #expect(
      json.first?["code"] as? String == "permission-denied"
        && json.first?["message"] as? String == "You may not.")
  }

  @Test func anEmptyQueueIsAnEmptyList() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/a": ["n": 1]])
    #expect(try await tool.run("queue", ["--json"]).json() as? [[String: String]] == [])
    #expect(try await tool.run("queue").output == "tenon store queue: 0 pending batches, 0 rejected\n")
  }

  @Test func aCancelledBatchIsUndoneForItsUserAlone() async throws {
    let (tool, ann, bob) = try await queue()
    defer { tool.remove() }
    #expect(try await tool.run("query", ["notes"]).lines == ["notes/a  {n: 2}"])
    // Of a user who isn't signed in.
    #expect(try await tool.run("queue", ["--cancel", ann.uuidString]).status == 0)
    #expect(try await tool.run("query", ["notes"]).lines == ["notes/a  {n: 2}"])
    let cancelled = try await tool.run("queue", ["--cancel", bob.uuidString])
    #expect(cancelled.output == "Cancelled \(bob). Its effect on this device is undone.\n", "\(cancelled)")
    #expect(try await tool.run("query", ["notes"]).lines.isEmpty)
    #expect(try await tool.run("info", ["--json"])["user"] as? String == "bob")
    let again = try await tool.run("queue", ["--cancel", bob.uuidString])
    #expect(again.status == 1 && again.errors.contains("There is no pending batch \(bob)"))
    #expect(try await tool.run("check").status == 0)
  }

  @Test func anAppSeesThatItsWriteWasCancelled() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = tool.store(isLocalOnly: false)
    var snapshots = store.collection("notes").snapshots.makeAsyncIterator()
    try await store.document("notes/a").setData(["n": 1])
    while let snapshot = try await snapshots.next(), snapshot.isEmpty {}
    let id = try #require(try await store.queuedWrites.first).id
    #expect(try await tool.run("queue", ["--cancel", id.uuidString]).status == 0)
    while let snapshot = try await snapshots.next(), !snapshot.isEmpty {}
    #expect(try await store.queuedWrites.isEmpty)
    await store.engine.close()
  }

  /// The process that sends may have sent any batch.
  @Test func aBatchIsNotCancelledWhileAProcessSends() async throws {
    let (tool, _, bob) = try await queue()
    defer { tool.remove() }
    let lock = FileLock(tool.file + "-queue")
    #expect(try lock.acquire())
    let before = try tool.files()
    let result = try await tool.run("queue", ["--cancel", bob.uuidString])
    #expect(result.status == 1 && result.errors.contains("sends the writes of this database"), "\(result)")
    #expect(try tool.files() == before)
    lock.release()
  }

  @Test func anIDThatIsNoneIsAWrongArgument() async throws {
    let (tool, _, _) = try await queue()
    defer { tool.remove() }
    let result = try await tool.run("queue", ["--cancel", "all"])
    #expect(result.status == 64 && result.errors.contains("--cancel takes the ID of a batch"))
  }
}
