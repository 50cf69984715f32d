import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The queue of pending writes in a database's file.
@Suite(.limited) struct QueueTests {
  private let directory: TestDirectory
  private let connection: Connection
  private let path = ResourcePath(segments: ["c", "d"])

  init() throws {
    directory = try TestDirectory()
    connection = try StoreFile(path: directory.file, key: TestEncryption.key).open()
  }

  private func local(user: String? = nil) throws -> LocalDatabase {
    try LocalDatabase(connection, sharing: .remote, user: user, now: .zero)
  }

  private func queue(_ write: DocumentWrite, _ local: LocalDatabase) throws -> PendingBatch {
    try #require(
      try local.enqueue(at: .zero, making: { BatchContent([write]) }, checking: { _, _ in }).result)
  }

  @Test func pendingWritesAreReappliedInOrderAfterAConfirmation() throws {
    let local = try local()
    let batches = try [1, 2, 3].map { try queue(DocumentWrite(path, .set(["n": $0])), local) }
    let commit = RemoteCommit(time: Timestamp(seconds: 1), results: [RemoteCommit.Result()])
    _ = try local.acknowledge([CommittedBatch(batches[0], commit, token: nil)])
    #expect(try local.reader.document(path)?.fields == ["n": 3])
    #expect(try local.batches().map(\.id) == batches.dropFirst().map(\.id))
  }

  @Test func valuesComputedByTheRemoteReplaceEstimates() throws {
    let local = try local()
    let increment = DocumentWrite(
      path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(1))])
    let batch = try queue(increment, local)
    #expect(try local.reader.document(path)?.fields == ["n": 1])
    let result = RemoteCommit.Result(transformResults: [42])
    let commit = RemoteCommit(time: Timestamp(seconds: 1), results: [result])
    _ = try local.acknowledge([CommittedBatch(batch, commit, token: nil)])
    #expect(try local.reader.document(path)?.fields == ["n": 42])
  }

  /// Firestore's server answers transforms of arrays with null
  /// (`google.firestore.v1.WriteResult.transform_results`).
  @Test func nullAnswersOfTheRemoteDoNotReplaceArrays() throws {
    let local = try local()
    let transforms = DocumentWrite(
      path, .update(["a": [1, 2]], mask: ["a"]),
      transforms: [
        FieldTransform("a", .union([3])), FieldTransform("n", .increment(1)),
        FieldTransform("a", .remove([1])),
      ])
    let batch = try queue(transforms, local)
    let result = RemoteCommit.Result(transformResults: [.null, 42, .null])
    let commit = RemoteCommit(time: Timestamp(seconds: 1), results: [result])
    _ = try local.acknowledge([CommittedBatch(batch, commit, token: nil)])
    #expect(try local.reader.document(path)?.fields == ["a": [2, 3], "n": 42])
  }

  @Test func answersThatArriveTogetherHaveTheEffectOfOneAfterTheOther() throws {
    let local = try local()
    var results: [Fields] = []
    for name in ["together", "apart"] {
      let path = ResourcePath(segments: ["notes", name])
      let increment = DocumentWrite(
        path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(1))])
      let patch = DocumentWrite(path, .update(["p": 1], mask: ["p"]))
      let writes = [DocumentWrite(path, .set(["m": 1])), increment, increment, patch]
      let batches = try writes.map { try queue($0, local) }
      let answers = batches.prefix(3).enumerated().map { index, batch in
        let result = RemoteCommit.Result(transformResults: index == 0 ? [] : [.integer(Int64(index) * 10)])
        let commit = RemoteCommit(time: Timestamp(seconds: Int64(index) + 1), results: [result])
        return CommittedBatch(batch, commit, token: Data([UInt8(index)]))
      }
      for part in name == "together" ? [answers] : answers.map({ [$0] }) {
        _ = try local.acknowledge(part)
      }
      results.append(try #require(try local.reader.document(path)?.fields))
      #expect(try local.batches().last?.id == batches.last?.id)
      #expect(try local.writeToken() == Data([2]))
    }
    // The last write is pending, and is applied to the results of the others.
    #expect(results[0] == ["m": 1, "n": 20, "p": 1])
    #expect(results[0] == results[1])
  }

  /// The first number that arrives is kept, so that the sum doesn't jump when the remote sends a document
  /// that already includes the increments, and hasn't answered them.
  @Test func incrementsOfAnUnknownDocumentAreAddedToTheFirstNumberThatArrives() throws {
    let local = try local()
    let increment = DocumentWrite(
      path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(.integer(1)))])
    for _ in 0..<2 { _ = try queue(increment, local) }
    #expect(try local.reader.document(path)?.fields == ["n": 2])
    #expect(try local.reader.document(path)?.isPartial == true)
    for (version, n) in [(1, 40), (2, 41)] as [(Int64, Int64)] {
      let version = Timestamp(seconds: version)
      let document = BaseDocument(
        content: .found(["n": .integer(n), "title": "Tea"]), createTime: .zero, version: version,
        isCommitted: false)
      _ = try local.save(RemoteEvent(version: version, documents: [path: document]))
      #expect(try local.reader.document(path)?.fields == ["n": 42, "title": "Tea"])
      #expect(try local.reader.document(path)?.isPartial == false)
    }
  }

  @Test func incrementsOfAnUnknownDocumentThatIsMissingAreAddedToZero() throws {
    let local = try local()
    let increment = DocumentWrite(
      path, .update(Fields(), mask: []), transforms: [FieldTransform("n", .increment(.integer(1)))])
    for _ in 0..<2 { _ = try queue(increment, local) }
    let version = Timestamp(seconds: 1)
    _ = try local.save(RemoteEvent(version: version, documents: [path: .missing(at: version)]))
    #expect(try local.reader.document(path)?.fields == ["n": 2])
    #expect(try local.reader.document(path)?.isPartial == false)
  }

  @Test func whatIsRememberedOfAWriteIsStoredWithThatWrite() throws {
    let write = DocumentWrite(path, .set(["n": 1]))
    var content = BatchContent([write, write, write])
    content[note: 1].bases = [WriteNote.FieldBase(field: "n", value: 7), .init(field: "m", value: nil)]
    content[note: 1].seen = .missing
    content[note: 2].awaitsVersion = true
    let stored = try WriteCoding.decode(WriteCoding.encode(content))
    #expect(stored.writes == content.writes && stored[note: 0].isEmpty)
    #expect(stored[note: 1].bases == content[note: 1].bases && stored[note: 1].seen == .missing)
    #expect(stored.index(awaiting: path) == 2)
    #expect(stored.sent.map(\.precondition) == [nil, nil, .updated(.zero)])
    content[note: 2].awaitsVersion = false
    #expect(!content.awaitsVersions && content.index(awaiting: path) == nil)
  }

  @Test func aBatchIsQueuedAgainOnce() throws {
    let (local, uuid) = (try local(), UUID())
    for _ in 0..<2 {
      _ = try local.restore(
        BatchContent([DocumentWrite(path, .set(["n": 1]))]), of: nil, at: .zero, uuid: uuid)
    }
    #expect(try local.batches().map(\.uuid) == [uuid])
  }

  @Test func aRejectionIsListedForItsUserOnly() throws {
    let ada = try local(user: "ada")
    let batch = try queue(DocumentWrite(path, .set(["n": 1])), ada)
    _ = try ada.reject(batch, StoreRemoteError(.permissionDenied, "No."), isListed: { _ in true })
    #expect(try ada.rejections().map(\.uuid) == [batch.uuid])
    #expect(try local(user: "bob").rejections().isEmpty)
    #expect(try local(user: "ada").rejections().map(\.uuid) == [batch.uuid])
  }
}
