import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Queued writes that replace a document whatever it was. Neither the document nor its base is decoded for them.
@Suite(.limited) struct ReplacingWriteTests {
  private let directory: TestDirectory
  private let connection: Connection
  private let local: LocalDatabase

  /// What this device has of a document before the write.
  enum Former: CaseIterable {
    case nothing, found, missing, updated, updatedPartly, deleted, deletedUnknown, replaced, acknowledged
  }

  init() throws {
    directory = try TestDirectory()
    connection = try StoreFile(path: directory.file, key: TestEncryption.key).open()
    local = try LocalDatabase(connection, sharing: .remote, user: nil, now: .zero)
  }

  private func queue(_ writes: DocumentWrite...) throws -> PendingBatch {
    try #require(
      try local.enqueue(at: Timestamp(seconds: 9), making: { BatchContent(writes) }, checking: { _, _ in })
        .result)
  }

  private func receive(_ path: ResourcePath, _ fields: Fields?, version: Int64) throws {
    let version = Timestamp(seconds: version)
    let document =
      fields.map {
        BaseDocument(
          content: .found($0), createTime: Timestamp(seconds: 1), version: version, isCommitted: false)
      } ?? .missing(at: version)
    _ = try local.save(RemoteEvent(version: version, documents: [path: document]))
  }

  private func prepare(_ former: Former, _ path: ResourcePath) throws {
    let sent: Fields = ["n": 1, "text": "tea"]
    let change = DocumentWrite(
      path, .update(["text": "milk"], mask: ["text"]),
      transforms: [FieldTransform("n", .increment(1)), FieldTransform("time", .serverTimestamp)])
    switch former {
    case .nothing: break
    case .found: try receive(path, sent, version: 2)
    case .missing: try receive(path, nil, version: 2)
    case .updated:
      try receive(path, sent, version: 2)
      _ = try queue(change)
    case .updatedPartly: _ = try queue(change)
    case .deleted:
      try receive(path, sent, version: 2)
      _ = try queue(DocumentWrite(path, .delete))
    case .deletedUnknown: _ = try queue(DocumentWrite(path, .delete))
    case .replaced:
      try receive(path, sent, version: 2)
      _ = try queue(DocumentWrite(path, .set(["n": 5])))
    case .acknowledged:
      try receive(path, sent, version: 2)
      let batch = try queue(change)
      let result = RemoteCommit.Result(transformResults: [2, .timestamp(Timestamp(seconds: 3))])
      let commit = RemoteCommit(time: Timestamp(seconds: 3), results: [result])
      _ = try local.acknowledge([CommittedBatch(batch, commit, token: nil)])
    }
  }

  /// Everything that is stored of a document, but for the queue.
  private func state(of path: ResourcePath) throws -> [String] {
    let reader = local.reader.database
    let documents = try reader.rows(
      "SELECT created, updated, flags, hex(coalesce(timestamps, x'')), hex(fields) FROM documents WHERE name = ?",
      [.text(path.id)]
    ) { row in (0..<5).map { row.text($0) }.joined(separator: " ") }
    let bases = try reader.rows(
      """
      SELECT kind, created, version, is_committed, coalesce(hex(fields), 'none') FROM bases WHERE name = ?
      """, [.text(path.id)]
    ) { row in (0..<5).map { row.text($0) }.joined(separator: " ") }
    return documents + ["base"] + bases
  }

  @Test(arguments: Former.allCases) func aReplacementHasTheEffectOfOneThatIsAppliedToTheFormerDocument(
    _ former: Former
  ) throws {
    // A write after another one of its batch is applied to the document as that one left it.
    let paths = ["alone", "after"].map { ResourcePath(segments: ["c", $0]) }
    for path in paths { try prepare(former, path) }
    #expect(try state(of: paths[0]) == state(of: paths[1]))
    let fields: Fields = ["list": [1, ["k": 2.5]], "n": 7, "time": .timestamp(Timestamp(seconds: 4))]
    let alone = try queue(DocumentWrite(paths[0], .set(fields)))
    let after = try queue(
      DocumentWrite(paths[1], .update(["n": 6], mask: ["n"])), DocumentWrite(paths[1], .set(fields)))
    #expect(try local.reader.document(paths[0])?.fields == fields)
    #expect(try state(of: paths[0]) == state(of: paths[1]))
    // Without the write, users see what they saw before.
    for batch in [alone, after] {
      _ = try local.reject(batch, StoreRemoteError(.permissionDenied, "No."), isListed: { _ in false })
    }
    #expect(try state(of: paths[0]) == state(of: paths[1]))
    if former == .found { #expect(try local.reader.document(paths[0])?.fields == ["n": 1, "text": "tea"]) }
  }

  @Test(arguments: Former.allCases) func aWriteAfterAReplacementOfItsBatchIsAppliedToIt(_ former: Former)
    throws
  {
    let path = ResourcePath(segments: ["c", "d"])
    try prepare(former, path)
    let increment = DocumentWrite(
      path, .update(["m": 2], mask: ["m"]), transforms: [FieldTransform("n", .increment(1))])
    let batch = try queue(DocumentWrite(path, .set(["n": 7])), increment)
    #expect(try local.reader.document(path)?.fields == ["m": 2, "n": 8])
    #expect(try local.batches().last?.content[note: 1].bases == [.init(field: "n", value: 7)])
    #expect(batch.paths == [path])
    let reader = local.reader.database
    #expect(
      try reader.rows("SELECT name FROM batch_documents WHERE batch = ?", [.integer(batch.id)]) { $0.text(0) }
        == ["d"])
  }

  /// The fields are encoded once, for the queue and for the document.
  @Test func theDocumentHasTruncatedTimestampsAlsoIfTheWriteDoesNot() throws {
    let path = ResourcePath(segments: ["c", "d"])
    let fine = Timestamp(seconds: 1, nanoseconds: 1_999)
    let batch = try queue(DocumentWrite(path, .set(["n": 1, "time": .timestamp(fine)])))
    let time = Value.timestamp(Timestamp(seconds: 1, nanoseconds: 1_000))
    #expect(try local.reader.document(path)?.fields == ["n": 1, "time": time])
    #expect(batch.writes[0].operation == .set(["n": 1, "time": .timestamp(fine)]))
  }

  /// The format is stored in files.
  @Test func theQueueHasTheFormatOfADocument() throws {
    let (path, fields) = (ResourcePath(segments: ["c", "d"]), ["n": 1, "text": "tea"] as Fields)
    var content = BatchContent([
      DocumentWrite(path, .set(fields)), DocumentWrite(path, .set([:])), DocumentWrite(path, .delete),
      DocumentWrite(path, .set(fields), precondition: .exists(false)),
    ])
    let document = Value.reference(path)
    let writes: [Value] = [
      ["document": document, "set": .map(fields)], ["document": document, "set": .map([:])],
      ["document": document, "delete": true],
      ["document": document, "set": .map(fields), "exists": false],
    ]
    #expect(WriteCoding.encode(content) == DocumentCoding.encode(["writes": .array(writes)]))
    #expect(WriteCoding.encode(BatchContent([])) == DocumentCoding.encode(["writes": []]))
    content.reads = [ReadCondition(document: path, precondition: .exists(true))]
    #expect(
      WriteCoding.encode(content)
        == DocumentCoding.encode([
          "writes": .array(writes), "reads": [["document": document, "exists": true]],
        ]))
  }
}
