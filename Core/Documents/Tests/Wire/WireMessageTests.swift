import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// The messages of the unary calls, as texts in both directions.
@Suite(.limited) struct WireMessageTests {
  private static let time = Timestamp(seconds: 1, nanoseconds: 5000)
  private static let timeText = "1970-01-01T00:00:01.000005Z"
  private static let root = WireText.root

  // MARK: - Writes

  @Test(
    arguments: [
      (DocumentWrite(WireText.ab, .set([:])), #"{"update":{"name":"ROOT/a/b"}}"#),
      (
        DocumentWrite(WireText.ab, .set(["x": 1]), precondition: .exists(false)),
        #"{"update":{"name":"ROOT/a/b","fields":{"x":{"integerValue":"1"}}},"currentDocument":{"exists":false}}"#
      ),
      (
        DocumentWrite(WireText.ab, .update([:], mask: [])),
        #"{"update":{"name":"ROOT/a/b"},"updateMask":{}}"#
      ),
      (
        DocumentWrite(
          WireText.ab, .update(["x": 1], mask: [FieldPath(["x"]), FieldPath(["a b", "`\\"])]),
          precondition: .exists(true)),
        #"{"update":{"name":"ROOT/a/b","fields":{"x":{"integerValue":"1"}}},"updateMask":{"fieldPaths":["x","`a b`.`\\`\\\\`"]},"currentDocument":{"exists":true}}"#
      ),
      (
        DocumentWrite(WireText.ab, .delete, precondition: .updated(Timestamp(seconds: 1, nanoseconds: 5000))),
        #"{"delete":"ROOT/a/b","currentDocument":{"updateTime":"1970-01-01T00:00:01.000005Z"}}"#
      ),
      (
        DocumentWrite(
          WireText.ab, .update([:], mask: []),
          transforms: [
            FieldTransform(FieldPath(["t"]), .serverTimestamp),
            FieldTransform(FieldPath(["i"]), .increment(1)),
            FieldTransform(FieldPath(["n"]), .minimum(.double(-0.0))),
            FieldTransform(FieldPath(["m"]), .maximum(2)),
            FieldTransform(FieldPath(["u"]), .union([1, "a"])), FieldTransform(FieldPath(["r"]), .remove([])),
          ]),
        #"{"update":{"name":"ROOT/a/b"},"updateMask":{},"updateTransforms":[{"fieldPath":"t","setToServerValue":"REQUEST_TIME"},{"fieldPath":"i","increment":{"integerValue":"1"}},{"fieldPath":"n","minimum":{"doubleValue":-0.0}},{"fieldPath":"m","maximum":{"integerValue":"2"}},{"fieldPath":"u","appendMissingElements":{"values":[{"integerValue":"1"},{"stringValue":"a"}]}},{"fieldPath":"r","removeAllFromArray":{}}]}"#
      ),
    ] as [(DocumentWrite, String)])
  func aWriteHasTheFormOfTheProtocol(write: DocumentWrite, text: String) throws {
    try WireText.expect(write, is: text.replacing("ROOT", with: Self.root))
  }

  @Test func theOlderFormOfTransformsIsAnUpdateOfNothing() throws {
    let text = """
      {"transform":{"document":"\(Self.root)/a/b","fieldTransforms":[{"fieldPath":"t","setToServerValue":"REQUEST_TIME"}]}}
      """
    let write = DocumentWrite(
      WireText.ab, .update([:], mask: []), transforms: [FieldTransform(FieldPath(["t"]), .serverTimestamp)])
    #expect(try WireText.decode(text) == write)
  }

  @Test(
    arguments: [
      ("{}", ""), (#"{"delete":"ROOT/a/b","update":{"name":"ROOT/a/b"}}"#, ""),
      (#"{"delete":"ROOT/a"}"#, "delete"),
      (#"{"delete":"ROOT"}"#, "delete"), (#"{"delete":5}"#, "delete"), (#"{"update":{}}"#, "update.name"),
      (#"{"delete":"ROOT/a/b","updateMask":{}}"#, ""),
      (#"{"delete":"ROOT/a/b","updateTransforms":[{"fieldPath":"a","increment":{"integerValue":"1"}}]}"#, ""),
      (#"{"update":{"name":"ROOT/a/b"},"updateMask":{"fieldPaths":"a"}}"#, "updateMask.fieldPaths"),
      (#"{"update":{"name":"ROOT/a/b"},"updateMask":{"fieldPaths":["a",5]}}"#, "updateMask.fieldPaths[1]"),
      (
        #"{"delete":"ROOT/a/b","currentDocument":{"exists":true,"updateTime":"1970-01-01T00:00:01Z"}}"#,
        "currentDocument"
      ),
      (#"{"update":{"name":"ROOT/a/b"},"updateTransforms":[{"fieldPath":"a"}]}"#, "updateTransforms[0]"),
      (
        #"{"update":{"name":"ROOT/a/b"},"updateTransforms":[{"fieldPath":"a","setToServerValue":"NEVER"}]}"#,
        "updateTransforms[0].setToServerValue"
      ),
      (
        #"{"update":{"name":"ROOT/a/b"},"updateTransforms":[{"increment":{"integerValue":"1"}}]}"#,
        "updateTransforms[0].fieldPath"
      ),
    ])
  func anInvalidWriteIsRejected(text: String, member: String) {
    WireText.expectRejection(
      of: text.replacing("ROOT", with: Self.root), as: DocumentWrite.self, at: member)
  }

  @Test func aCommitOfAnotherDatabaseIsRejected() {
    let text = #"{"writes":[{"delete":"ROOT/a/b"},{"delete":"projects/p/databases/q/documents/a/b"}]}"#
      .replacing("ROOT", with: Self.root)
    WireText.expectRejection(of: text, as: CommitRequest.self, at: "writes[1].delete", code: .otherDatabase)
  }

  @Test func aVerificationHasAPrecondition() throws {
    try WireText.expect(
      DocumentWrite(verifying: WireText.ab, .exists(true)),
      is: #"{"verify":"\#(Self.root)/a/b","currentDocument":{"exists":true}}"#)
    WireText.expectRejection(
      of: #"{"verify":"ROOT/a/b"}"#.replacing("ROOT", with: Self.root), as: DocumentWrite.self, at: "")
  }

  @Test func commitsAndTheirResultsHaveTheFormOfTheProtocol() throws {
    try WireText.expect(CommitRequest(writes: []), is: "{}")
    try WireText.expect(
      CommitRequest(writes: [DocumentWrite(WireText.ab, .delete)], transaction: Data([1])),
      is: #"{"writes":[{"delete":"\#(Self.root)/a/b"}],"transaction":"AQ=="}"#)
    try WireText.expect(
      RemoteCommit(
        time: Self.time, results: [.init(), .init(updateTime: Self.time, transformResults: [.null, 1])]),
      is: """
        {"writeResults":[{},{"updateTime":"\(Self.timeText)","transformResults":[{"nullValue":null},\
        {"integerValue":"1"}]}],"commitTime":"\(Self.timeText)"}
        """)
    try WireText.expect(
      RemoteCommit(time: Self.time, results: []), is: #"{"commitTime":"\#(Self.timeText)"}"#)
    WireText.expectRejection(of: #"{"writeResults":[]}"#, as: RemoteCommit.self, at: "commitTime")
    try WireText.expect(
      BatchWriteRequest(writes: [DocumentWrite(WireText.ab, .delete)]),
      is: #"{"writes":[{"delete":"\#(Self.root)/a/b"}]}"#)
  }

  @Test func independentWritesHaveStatuses() throws {
    let response = BatchWriteResponse(
      results: [.init(updateTime: Self.time), .init()],
      errors: [nil, StoreRemoteError(.notFound, "There is none.")])
    let text =
      #"{"writeResults":[{"updateTime":"\#(Self.timeText)"},{}],"status":[{},{"code":5,"message":"There is none."}]}"#
    #expect(try WireText.of(response) == text)
    let decoded = try WireText.decode(text, as: BatchWriteResponse.self)
    #expect(decoded.results == response.results)
    #expect(
      decoded.errors.map { $0?.code } == [nil, .notFound] && decoded.errors[1]?.message == "There is none.")
    WireText.expectRejection(of: #"{"status":[{}]}"#, as: BatchWriteResponse.self, at: "")
  }

  @Test func theWriteStreamHasTheFormOfTheWebClients() throws {
    let database = #""database":"projects/p/databases/(default)""#
    try WireText.expect(WriteStreamRequest(), is: "{\(database)}")
    try WireText.expect(
      WriteStreamRequest(
        streamID: "3", streamToken: Data("0".utf8), writes: [DocumentWrite(WireText.ab, .delete)]),
      is: #"{\#(database),"streamId":"3","streamToken":"MA==","writes":[{"delete":"\#(Self.root)/a/b"}]}"#)
    try WireText.expect(
      WriteStreamResponse(streamID: "3", streamToken: Data("0".utf8)),
      is: #"{"streamId":"3","streamToken":"MA=="}"#)
    try WireText.expect(
      WriteStreamResponse(
        streamToken: Data("0".utf8), commit: RemoteCommit(time: Self.time, results: [.init()])),
      is: #"{"streamToken":"MA==","writeResults":[{}],"commitTime":"\#(Self.timeText)"}"#)
    WireText.expectRejection(
      of: #"{"database":"projects/q/databases/(default)"}"#, as: WriteStreamRequest.self, at: "database",
      code: .otherDatabase)
  }

  // MARK: - Documents

  @Test func documentsHaveNamesFieldsAndTimes() throws {
    try WireText.expect(
      RemoteDocument(
        path: WireText.ab, fields: ["x": true], createTime: Self.time, updateTime: Timestamp(seconds: 2)),
      is: """
        {"name":"\(Self.root)/a/b","fields":{"x":{"booleanValue":true}},"createTime":"\(Self.timeText)",\
        "updateTime":"1970-01-01T00:00:02Z"}
        """)
    try WireText.expect(
      RemoteDocument(path: WireText.ab, fields: [:], updateTime: Self.time),
      is: #"{"name":"\#(Self.root)/a/b","updateTime":"\#(Self.timeText)"}"#)
    try WireText.expect(
      ListDocumentsResponse(
        documents: [RemoteDocument(path: WireText.ab, fields: [:], updateTime: Self.time)], nextPageToken: "n"
      ),
      is:
        #"{"documents":[{"name":"\#(Self.root)/a/b","updateTime":"\#(Self.timeText)"}],"nextPageToken":"n"}"#)
  }

  @Test(
    arguments: [
      (#"{}"#, "name"), (#"{"name":"ROOT/a/b"}"#, "updateTime"),
      (#"{"name":"ROOT/a/b","updateTime":5}"#, "updateTime"),
      (#"{"name":"ROOT/a","updateTime":"1970-01-01T00:00:01Z"}"#, "name"),
      (#"{"name":"ROOT/a/b","updateTime":"1970-01-01T00:00:01Z","fields":[]}"#, "fields"),
      (#"{"name":"ROOT/a/b","updateTime":"1970-01-01T00:00:01Z","fields":{"a":{}}}"#, "fields.a"),
      (#"{"name":"ROOT/a/b","updateTime":"1970-01-01T00:00:01Z","createTime":"x"}"#, "createTime"), ("5", ""),
    ])
  func anInvalidDocumentIsRejected(text: String, member: String) {
    WireText.expectRejection(
      of: text.replacing("ROOT", with: Self.root), as: RemoteDocument.self, at: member)
  }

  // MARK: - Reads

  @Test func readsOfDocumentsHaveTheFormOfTheProtocol() throws {
    let documents = #""documents":["\#(Self.root)/a/b"]"#
    try WireText.expect(BatchGetRequest(documents: [WireText.ab]), is: "{\(documents)}")
    try WireText.expect(
      BatchGetRequest(documents: [WireText.ab], consistency: .transaction(Data([1]))),
      is: #"{\#(documents),"transaction":"AQ=="}"#)
    try WireText.expect(
      BatchGetRequest(
        documents: [WireText.ab], consistency: .newTransaction(.readWrite(retrying: Data([1])))),
      is: #"{\#(documents),"newTransaction":{"readWrite":{"retryTransaction":"AQ=="}}}"#)
    try WireText.expect(
      BatchGetRequest(documents: [WireText.ab], consistency: .readTime(Self.time)),
      is: #"{\#(documents),"readTime":"\#(Self.timeText)"}"#)
    WireText.expectRejection(
      of: #"{"transaction":"AQ==","readTime":"1970-01-01T00:00:01Z"}"#, as: BatchGetRequest.self, at: "")
    try WireText.expect(
      BatchGetRequest(documents: [WireText.ab], mask: ["a"]),
      is: #"{\#(documents),"mask":{"fieldPaths":["a"]}}"#)
    WireText.expectRejection(
      of: #"{"mask":{"fieldPaths":["a."]}}"#, as: BatchGetRequest.self, at: "mask.fieldPaths[0]")
  }

  @Test func documentsThatWereReadAreFoundOrMissing() throws {
    try WireText.expect(BatchGetResponse(transaction: Data([1])), is: #"{"transaction":"AQ=="}"#)
    try WireText.expect(
      BatchGetResponse(
        document: RemoteDocument(path: WireText.ab, fields: [:], updateTime: Timestamp(seconds: 0)),
        readTime: Self.time),
      is:
        #"{"found":{"name":"\#(Self.root)/a/b","updateTime":"1970-01-01T00:00:00Z"},"readTime":"\#(Self.timeText)"}"#
    )
    try WireText.expect(
      BatchGetResponse(
        document: RemoteDocument(path: WireText.ab, fields: nil, updateTime: Self.time), readTime: Self.time),
      is: #"{"missing":"\#(Self.root)/a/b","readTime":"\#(Self.timeText)"}"#)
    WireText.expectRejection(
      of: #"{"missing":"\#(Self.root)/a/b"}"#, as: BatchGetResponse.self, at: "readTime")
    WireText.expectRejection(
      of: """
        {"missing":"\(Self.root)/a/b","found":{"name":"\(Self.root)/a/b","updateTime":"\(Self.timeText)"},\
        "readTime":"\(Self.timeText)"}
        """, as: BatchGetResponse.self, at: "")
  }

  @Test func resultsOfQueriesHaveTheFormOfTheProtocol() throws {
    let document = RemoteDocument(path: WireText.ab, fields: [:], updateTime: Self.time)
    try WireText.expect(
      RunQueryResponse(document: document, transaction: Data([1]), readTime: Self.time, isDone: true),
      is: """
        {"transaction":"AQ==","document":{"name":"\(Self.root)/a/b","updateTime":"\(Self.timeText)"},\
        "readTime":"\(Self.timeText)","done":true}
        """)
    try WireText.expect(RunQueryResponse(readTime: Self.time), is: #"{"readTime":"\#(Self.timeText)"}"#)
    try WireText.expect(RunQueryResponse(), is: "{}")
  }

  @Test func transactionsHaveTheFormOfTheProtocol() throws {
    try WireText.expect(BeginTransactionRequest(), is: #"{"options":{"readWrite":{}}}"#)
    try WireText.expect(
      BeginTransactionRequest(options: .readOnly(at: Self.time)),
      is: #"{"options":{"readOnly":{"readTime":"\#(Self.timeText)"}}}"#)
    try WireText.expect(
      BeginTransactionRequest(options: .readOnly(at: nil)), is: #"{"options":{"readOnly":{}}}"#)
    #expect(try WireText.decode("{}") == BeginTransactionRequest())
    try WireText.expect(TransactionReference(transaction: Data([1])), is: #"{"transaction":"AQ=="}"#)
    try WireText.expect(EmptyMessage(), is: "{}")
    WireText.expectRejection(of: "{}", as: TransactionReference.self, at: "transaction")
    WireText.expectRejection(of: #"{"transaction":"*"}"#, as: TransactionReference.self, at: "transaction")
    WireText.expectRejection(
      of: #"{"options":{"readOnly":{},"readWrite":{}}}"#, as: BeginTransactionRequest.self, at: "options")
    WireText.expectRejection(of: "[]", as: EmptyMessage.self, at: "")
  }

  @Test func listsOfCollectionsHaveTheFormOfTheProtocol() throws {
    try WireText.expect(ListCollectionIDsRequest(), is: "{}")
    try WireText.expect(
      ListCollectionIDsRequest(pageSize: 5, pageToken: "n", readTime: Self.time),
      is: #"{"pageSize":5,"pageToken":"n","readTime":"\#(Self.timeText)"}"#)
    try WireText.expect(
      ListCollectionIDsResponse(collectionIDs: ["a", "\""], nextPageToken: "n"),
      is: #"{"collectionIds":["a","\""],"nextPageToken":"n"}"#)
    #expect(try WireText.decode(#"{"pageSize":0}"#) == ListCollectionIDsRequest())
    WireText.expectRejection(of: #"{"pageSize":-1}"#, as: ListCollectionIDsRequest.self, at: "pageSize")
    WireText.expectRejection(
      of: #"{"pageSize":2147483648}"#, as: ListCollectionIDsRequest.self, at: "pageSize")
    WireText.expectRejection(
      of: #"{"collectionIds":["a",5]}"#, as: ListCollectionIDsResponse.self, at: "collectionIds[1]")
  }
}
