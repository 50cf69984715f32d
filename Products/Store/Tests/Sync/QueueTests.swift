import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import Testing

@testable import TenonStore

/// The queue of pending writes in a database's file.
struct QueueTests {
  private let directory: TestDirectory
  private let connection: Connection
  private let path = ResourcePath(segments: ["c", "d"])

  init() throws {
    directory = try TestDirectory()
    connection = try StoreFile(path: directory.file).open()
  }

  private func local(user: String? = nil) throws -> LocalDatabase {
    try LocalDatabase(connection, sharing: .remote, user: user, now: .zero)
  }

  private func queue(_ write: DocumentWrite, _ local: LocalDatabase) throws -> PendingBatch {
    try #require(try local.enqueue(at: .zero, making: { [write] }, checking: { _, _ in }).result)
  }

  @Test func pendingWritesAreReappliedInOrderAfterAConfirmation() throws {
    let local = try local()
    let batches = try [1, 2, 3].map { try queue(DocumentWrite(path, .set(["n": $0])), local) }
    let commit = RemoteCommit(time: Timestamp(seconds: 1), results: [RemoteCommit.Result()])
    _ = try local.acknowledge(batches[0], commit, token: nil)
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
    _ = try local.acknowledge(
      batch, RemoteCommit(time: Timestamp(seconds: 1), results: [result]), token: nil)
    #expect(try local.reader.document(path)?.fields == ["n": 42])
  }

  @Test func aBatchIsQueuedAgainOnce() throws {
    let (local, uuid) = (try local(), UUID())
    for _ in 0..<2 {
      _ = try local.restore([DocumentWrite(path, .set(["n": 1]))], of: nil, at: .zero, uuid: uuid)
    }
    #expect(try local.batches().map(\.uuid) == [uuid])
  }

  @Test func aRejectionIsListedForItsUserOnly() throws {
    let ada = try local(user: "ada")
    let batch = try queue(DocumentWrite(path, .set(["n": 1])), ada)
    _ = try ada.reject(batch, StoreRemoteError(.permissionDenied, "No."), isListed: true)
    #expect(try ada.rejections().map(\.uuid) == [batch.uuid])
    #expect(try local(user: "bob").rejections().isEmpty)
    #expect(try local(user: "ada").rejections().map(\.uuid) == [batch.uuid])
  }
}
