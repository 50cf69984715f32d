import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// The messages of listen streams as texts in both directions.
@Suite(.limited) struct WireListenTests {
  private static let root = WireText.root
  private static let database = #""database":"projects/p/databases/(default)""#
  private static let time = Timestamp(seconds: 1)
  private static let timeText = "1970-01-01T00:00:01Z"

  // MARK: - Requests

  @Test func requestsHaveTheFormOfTheProtocol() throws {
    try WireText.expect(ListenRequest.remove(target: 2), is: #"{\#(Self.database),"removeTarget":2}"#)
    try WireText.expect(
      ListenRequest.add(
        ListenTarget(
          id: 2, content: .documents([WireText.ab, WireText.ac]), resumption: .token(Data([1])),
          expectedCount: 0)),
      is: """
        {\(Self.database),"addTarget":{"documents":{"documents":["\(Self.root)/a/b","\(Self.root)/a/c"]},"targetId":2,\
        "resumeToken":"AQ==","expectedCount":0}}
        """)
    let query = StructuredQuery(parent: WireText.ab, collectionID: "c", limit: 1)
    try WireText.expect(
      ListenRequest.add(ListenTarget(id: 4, content: .query(query), resumption: .readTime(Self.time))),
      is: """
        {\(Self.database),"addTarget":{"query":{"parent":"\(Self.root)/a/b","structuredQuery":\
        {"from":[{"collectionId":"c"}],"limit":1}},"targetId":4,"readTime":"\(Self.timeText)"}}
        """)
    let atRoot = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c")
    try WireText.expect(
      ListenRequest.add(ListenTarget(id: 6, content: .query(atRoot))),
      is: """
        {\(Self.database),"addTarget":{"query":{"parent":"\(Self.root)","structuredQuery":\
        {"from":[{"collectionId":"c"}]}},"targetId":6}}
        """)
  }

  @Test(
    arguments: [
      (.existenceFilterMismatch, "existence-filter-mismatch"),
      (.existenceFilterMismatchBloom, "existence-filter-mismatch-bloom"),
      (.limboResolution, "limbo-document"),
    ] as [(ListenTarget.Purpose, String)])
  func thePurposeOfATargetIsALabel(purpose: ListenTarget.Purpose, label: String) throws {
    try WireText.expect(
      ListenRequest.add(ListenTarget(id: 1, content: .documents([WireText.ab]), purpose: purpose)),
      is: """
        {\(Self.database),"addTarget":{"documents":{"documents":["\(Self.root)/a/b"]},"targetId":1},\
        "labels":{"goog-listen-tags":"\(label)"}}
        """)
  }

  @Test func theFormsOfTheWebClientsAreRead() throws {
    let text = """
      {"addTarget":{"documents":{"documents":["\(Self.root)/a/b"]},"targetId":1,"expectedCount":{"value":3},\
      "resumeToken":"-_8"},"labels":{"goog-listen-tags":"later"}}
      """
    let target = ListenTarget(
      id: 1, content: .documents([WireText.ab]), resumption: .token(Data([251, 255])), expectedCount: 3)
    #expect(try WireText.decode(text) == ListenRequest.add(target))
  }

  @Test(
    arguments: [
      ("{}", ""), (#"{"removeTarget":"x"}"#, "removeTarget"),
      (#"{"addTarget":{},"removeTarget":1}"#, "addTarget"),
      (#"{"addTarget":{"targetId":1}}"#, "addTarget"),
      (#"{"addTarget":{"documents":{}}}"#, "addTarget.targetId"),
      (#"{"addTarget":{"documents":{},"targetId":0}}"#, "addTarget.targetId"),
      (#"{"addTarget":{"documents":{},"targetId":-1}}"#, "addTarget.targetId"),
      (#"{"addTarget":{"documents":{},"targetId":2147483648}}"#, "addTarget.targetId"),
      (
        #"{"addTarget":{"documents":{"documents":["ROOT/a"]},"targetId":1}}"#,
        "addTarget.documents.documents[0]"
      ),
      (#"{"addTarget":{"query":{"parent":5},"targetId":1}}"#, "addTarget.query.parent"),
      (#"{"addTarget":{"query":{},"targetId":1}}"#, "addTarget.query.structuredQuery"),
      (#"{"addTarget":{"documents":{},"targetId":1,"expectedCount":-1}}"#, "addTarget.expectedCount"),
      (#"{"addTarget":{"documents":{},"targetId":1,"resumeToken":"A"}}"#, "addTarget.resumeToken"),
      (
        #"{"addTarget":{"documents":{},"targetId":1,"resumeToken":"AQ","readTime":"1970-01-01T00:00:01Z"}}"#,
        "addTarget"
      ),
      (#"{"removeTarget":1,"database":5}"#, "database"),
    ])
  func anInvalidRequestIsRejected(text: String, member: String) {
    WireText.expectRejection(of: text.replacing("ROOT", with: Self.root), as: ListenRequest.self, at: member)
  }

  @Test func requestsForAnotherDatabaseAreRejected() {
    WireText.expectRejection(
      of: #"{"database":"projects/p/databases/q","removeTarget":1}"#, as: ListenRequest.self, at: "database",
      code: .otherDatabase)
  }

  // MARK: - Events

  @Test(
    arguments: [
      #"{"targetChange":{}}"#, #"{"targetChange":{"resumeToken":"AQ==","readTime":"1970-01-01T00:00:01Z"}}"#,
      #"{"targetChange":{"targetChangeType":"ADD","targetIds":[2,4]}}"#,
      #"{"targetChange":{"targetChangeType":"CURRENT","targetIds":[2],"resumeToken":"AQ==","readTime":"1970-01-01T00:00:01Z"}}"#,
      #"{"targetChange":{"targetChangeType":"RESET","targetIds":[2]}}"#,
      #"{"targetChange":{"targetChangeType":"REMOVE","targetIds":[2]}}"#,
      #"{"targetChange":{"targetChangeType":"REMOVE","targetIds":[2],"cause":{"code":7,"message":"No."}}}"#,
      #"{"documentChange":{"document":{"name":"ROOT/a/b","updateTime":"1970-01-01T00:00:01Z"},"targetIds":[2],"removedTargetIds":[4]}}"#,
      #"{"documentChange":{"document":{"name":"ROOT/a/b","fields":{"x":{"nullValue":null}},"createTime":"1970-01-01T00:00:01Z","updateTime":"1970-01-01T00:00:01Z"}}}"#,
      #"{"documentDelete":{"document":"ROOT/a/b","readTime":"1970-01-01T00:00:01Z","removedTargetIds":[2]}}"#,
      #"{"documentRemove":{"document":"ROOT/a/b","removedTargetIds":[2,4]}}"#,
      #"{"filter":{"targetId":2,"count":0}}"#,
      #"{"filter":{"targetId":2,"count":3,"unchangedNames":{"bits":{"bitmap":"AQ==","padding":3},"hashCount":7}}}"#,
    ])
  func anEventIsWrittenAsItIsRead(text: String) throws {
    let text = text.replacing("ROOT", with: Self.root)
    #expect(try WireText.of(WireText.decode(text, as: ListenEvent.self)) == text)
  }

  @Test func changesOfTargetsAreRead() throws {
    let current = try Self.change(
      #"{"targetChangeType":"CURRENT","targetIds":[2],"resumeToken":"AQ==","readTime":"\#(Self.timeText)"}"#)
    guard case .current = current.kind else { throw Failure(current) }
    #expect(current.targets == [2] && current.token == Data([1]) && current.readTime == Self.time)
    for text in ["{}", #"{"targetChangeType":"NO_CHANGE"}"#, #"{"resumeToken":"","cause":null}"#] {
      let change = try Self.change(text)
      guard case .noChange = change.kind else { throw Failure(change) }
      #expect(change.targets.isEmpty && change.token == nil && change.readTime == nil)
    }
    guard case .added = try Self.change(#"{"targetChangeType":"ADD"}"#).kind,
      case .reset = try Self.change(#"{"targetChangeType":"RESET"}"#).kind,
      case .removed(nil) = try Self.change(#"{"targetChangeType":"REMOVE"}"#).kind
    else { throw Failure("ADD, RESET or REMOVE") }
  }

  @Test(
    arguments: [
      (#"{"code":7,"message":"No."}"#, .permissionDenied, "No."), (#"{"code":"3"}"#, .invalidArgument, ""),
      (#"{"code":99,"message":"?"}"#, .unknown, "?"), (#"{"code":0,"message":"?"}"#, .unknown, "?"),
      ("{}", .unknown, ""),
    ] as [(String, StoreRemoteError.Code, String)])
  func theCauseOfARemovalIsItsError(cause: String, code: StoreRemoteError.Code, message: String) throws {
    let change = try Self.change(#"{"targetChangeType":"REMOVE","targetIds":[2],"cause":\#(cause)}"#)
    guard case .removed(let error?) = change.kind else { throw Failure(change) }
    #expect((error as? StoreRemoteError)?.code == code && (error as? StoreRemoteError)?.message == message)
  }

  @Test func errorsOfOtherTypesAreReportedWithoutTheirDescriptions() throws {
    let change = TargetChange(.removed(Failure("secret")), targets: [2])
    let text = try WireText.of(ListenEvent.target(change))
    #expect(text.contains(#""code":13"#) && !text.contains("secret"))
  }

  @Test func aDeletedDocumentHasNoFields() throws {
    guard
      case .document(let deleted, let added, let removed) = try Self.event(
        #"{"documentDelete":{"document":"ROOT/a/b","readTime":"\#(Self.timeText)","removedTargetIds":[2]}}"#)
    else { throw Failure("no document") }
    #expect(deleted == RemoteDocument(path: WireText.ab, fields: nil, updateTime: Self.time))
    #expect(added.isEmpty && removed == [2])
    guard case .document(let unknown, _, _) = try Self.event(#"{"documentDelete":{"document":"ROOT/a/b"}}"#)
    else {
      throw Failure("no document")
    }
    #expect(unknown.updateTime == Timestamp(seconds: 0))
  }

  @Test func aChangedDocumentHasItsTargets() throws {
    guard
      case .document(let document, let added, let removed) = try Self.event(
        #"{"documentChange":{"document":{"name":"ROOT/a/b","updateTime":"\#(Self.timeText)"},"targetIds":["2",4],"removedTargetIds":[6]}}"#
      )
    else { throw Failure("no document") }
    #expect(document == RemoteDocument(path: WireText.ab, fields: [:], updateTime: Self.time))
    #expect(added == [2, 4] && removed == [6])
    guard
      case .removed(let path, let targets) = try Self.event(
        #"{"documentRemove":{"document":"ROOT/a/b","removedTargetIds":[8]}}"#)
    else { throw Failure("no removal") }
    #expect(path == WireText.ab && targets == [8])
  }

  @Test func existenceFiltersHaveTheNamesOfTheDatabase() throws {
    let text =
      #"{"filter":{"targetId":2,"count":3,"unchangedNames":{"bits":{"bitmap":"AQ","padding":3},"hashCount":7}}}"#
    guard case .existenceFilter(let filter) = try Self.event(text) else { throw Failure("no filter") }
    let names = BloomFilterBits(bitmap: Data([1]), padding: 3, hashCount: 7, prefix: Self.root + "/")
    #expect(filter == ExistenceFilter(target: 2, count: 3, names: names))
    guard case .existenceFilter(let bare) = try Self.event(#"{"filter":{"targetId":2,"unchangedNames":{}}}"#)
    else {
      throw Failure("no filter")
    }
    // Invalid bits are left to BloomFilter, which ignores them.
    #expect(bare.count == 0 && bare.names.flatMap { BloomFilter($0) } == nil)
  }

  @Test(
    arguments: [
      ("{}", ""), (#"{"targetChange":{},"filter":{"targetId":1}}"#, ""), (#"{"later":{}}"#, ""), ("[]", ""),
      (#"{"targetChange":{"targetChangeType":"LATER"}}"#, "targetChange.targetChangeType"),
      (#"{"targetChange":{"targetIds":[2,"x"]}}"#, "targetChange.targetIds[1]"),
      (#"{"targetChange":{"targetIds":2}}"#, "targetChange.targetIds"),
      (#"{"targetChange":{"cause":{"code":"x"}}}"#, "targetChange.cause.code"),
      (#"{"targetChange":{"resumeToken":"A"}}"#, "targetChange.resumeToken"),
      (#"{"documentChange":{}}"#, "documentChange.document"),
      (#"{"documentChange":{"document":{"name":"ROOT/a"}}}"#, "documentChange.document.name"),
      (#"{"documentDelete":{}}"#, "documentDelete.document"), (#"{"documentRemove":[]}"#, "documentRemove"),
      (#"{"filter":{}}"#, "filter.targetId"), (#"{"filter":{"targetId":1,"count":-1}}"#, "filter.count"),
      (#"{"filter":{"targetId":1,"unchangedNames":{"bits":5}}}"#, "filter.unchangedNames.bits"),
      (#"{"filter":{"targetId":1,"unchangedNames":{"hashCount":1e10}}}"#, "filter.unchangedNames.hashCount"),
    ])
  func anInvalidEventIsRejected(text: String, member: String) {
    WireText.expectRejection(of: text.replacing("ROOT", with: Self.root), as: ListenEvent.self, at: member)
  }

  private static func event(_ text: String) throws -> ListenEvent {
    try WireText.decode(text.replacing("ROOT", with: root))
  }

  private static func change(_ text: String) throws -> TargetChange {
    guard case .target(let change) = try event(#"{"targetChange":\#(text)}"#) else { throw Failure(text) }
    return change
  }

  /// What a test didn't expect.
  private struct Failure: Error {
    let found: String
    init(_ found: Any) { self.found = "\(found)" }
  }
}
