import Foundation
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop

@testable import TenonStoreSync

/// The documents of Firestore behind its REST API, in memory, for tests. Each database has its history, so
/// reads can be as of the time of an earlier commit.
final class RESTServer: Sendable {
  /// A request of the API.
  struct Request: Sendable {
    var method: String
    var database: DatabaseName
    var parent: ResourcePath
    var headers: [String: String]
    var json: FirestoreJSON
    var size: Int
  }

  /// A response.
  struct Response: Sendable {
    var status = 200
    var body: Data
  }

  private struct State {
    var states: [String: [MemoryDocuments]] = [:]
    var requests: [Request] = []
  }

  private let state = Lock(State())
  /// Returns the error of a request, before it is carried out.
  private let refusal: @Sendable (Request) -> StoreRemoteError?

  init(_ refusal: @escaping @Sendable (Request) -> StoreRemoteError? = { _ in nil }) {
    self.refusal = refusal
  }

  /// The requests so far.
  var requests: [Request] { state.withLock { $0.requests } }
  /// The methods of the requests so far.
  var methods: [String] { requests.map(\.method) }
  /// The numbers of writes of the commits so far.
  var commits: [Int] { requests.filter { $0.method == "commit" }.map { $0.json["writes"]?.array.count ?? 0 } }

  /// Returns the current state of a document.
  func document(_ path: String, in database: String = "(default)") -> RemoteDocument? {
    state.withLock { $0.states[database]?.last?.document(ResourcePath(unchecked: path)) }
  }

  /// Applies writes, as another client.
  @discardableResult
  func apply(_ writes: [DocumentWrite], in database: String = "(default)") throws -> RemoteCommit {
    try state.withLock { state in
      var states = state.states[database] ?? [MemoryDocuments(identity: "test", name: database)]
      var documents = states[states.count - 1]
      let commit = try documents.commit(writes)
      states.append(documents)
      state.states[database] = states
      return commit
    }
  }

  /// Answers a request.
  func answer(_ target: String, _ headers: [String: String], _ body: Data) -> Response {
    do {
      let path = target.split(separator: "?")[0]
      let colon = try require(path.lastIndex(of: ":"))
      let (database, parent) = try DatabaseName.parse(urlPath: String(path[..<colon].dropFirst("/v1/".count)))
      let json = try FirestoreJSON(body)
      let request = Request(
        method: String(path[path.index(after: colon)...]), database: database, parent: parent,
        headers: headers,
        json: json, size: body.count)
      state.withLock { $0.requests.append(request) }
      if let error = refusal(request) { throw error }
      return Response(body: try response(to: request))
    } catch {
      let error = StoreRemoteError(reporting: error)
      return Response(status: error.code.status.httpStatus, body: error.responseBody)
    }
  }

  private struct Malformed: Error {}
  private func require<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Malformed() }
    return value
  }

  private func response(to request: Request) throws -> Data {
    let name = request.database
    switch request.method {
    case "commit":
      let commit = try CommitRequest(request.json, in: name)
      return try apply(commit.writes, in: name.database).encoded(in: name)
    case "batchGet":
      let get = try BatchGetRequest(request.json, in: name)
      let documents = try documents(at: get.consistency, of: name)
      return try array(
        get.documents.map { path in
          BatchGetResponse(
            document: documents.document(path)
              ?? RemoteDocument(path: path, fields: nil, updateTime: documents.commitTime),
            readTime: documents.commitTime)
        }, in: name)
    case "runQuery":
      let run = try RunQueryRequest(request.json, parent: request.parent, in: name)
      let documents = try documents(at: run.consistency, of: name)
      let found = try documents.documents(of: ResolvedQuery(run.query), limit: run.query.limit)
      let elements =
        found.isEmpty
        ? [RunQueryResponse(readTime: documents.commitTime)]
        : found.map { RunQueryResponse(document: $0, readTime: documents.commitTime) }
      return try array(elements, in: name)
    case "runAggregationQuery":
      let run = try AggregationRequest(request.json, parent: request.parent, in: name)
      let documents = try documents(at: run.consistency, of: name)
      let values = try documents.aggregate(ResolvedQuery(run.query), run.aggregations)
      return try array(
        [AggregationResponse(to: run, values: values, readTime: documents.commitTime)], in: name)
    default: throw StoreRemoteError(.unimplemented, "There is no method \(request.method).")
    }
  }

  private func documents(at consistency: ReadConsistency?, of name: DatabaseName) throws -> MemoryDocuments {
    let states = state.withLock { $0.states[name.database] } ?? [MemoryDocuments(identity: "test", name: "x")]
    guard case .readTime(let time)? = consistency else { return states[states.count - 1] }
    return try require(states.last { $0.commitTime.compare(time) <= 0 })
  }

  private func array(_ elements: [some WireEncodable], in name: DatabaseName) throws -> Data {
    // Written as production does: over several lines.
    var body = Data("[\n".utf8)
    for (index, element) in elements.enumerated() {
      body += Data((index == 0 ? "" : ",\n").utf8) + (try element.encoded(in: name))
    }
    return body + Data("\n]\n".utf8)
  }

  // MARK: - Clients

  /// A transport that reaches this server without a network.
  ///
  /// - Parameter change: changes the response, or throws a `TransportError` in its place.
  func transport(
    _ change: @escaping @Sendable (Response, _ number: Int) throws -> Response = { response, _ in response }
  ) -> FakeTransport {
    let number = Lock(0)
    return FakeTransport { [self] request in
      guard case .data(let body) = request.body else { throw Malformed() }
      let headers = Dictionary(
        request.headers.fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
      let response = try change(
        answer(request.url.path, headers, body),
        number.withLock { number in
          number += 1
          return number
        })
      return TransportResponse(status: response.status, body: response.body)
    }
  }

  /// A server on the network in front of this one.
  ///
  /// - Parameter change: returns the steps of a response whose bytes would be the given ones.
  func listening(
    _ change: @escaping @Sendable (_ bytes: Data, _ method: String) -> [LoopbackServer.Step] = { bytes, _ in
      [.bytes(bytes)]
    }
  ) throws -> LoopbackServer {
    try LoopbackServer { [self] request in
      let headers = Dictionary(
        request.fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
      let response = answer(request.target, headers, request.body)
      let head =
        "HTTP/1.1 \(response.status) Status\r\nContent-Type: application/json\r\nContent-Length: \(response.body.count)\r\n\r\n"
      return change(Data(head.utf8) + response.body, requests.last?.method ?? "")
    }
  }
}

/// Returns a remote for tests.
///
/// - Parameters:
///   - transport: the transport; the network if `nil`.
///   - host: the host and the port of the emulator.
///   - settings: the settings.
///   - auth: the source of ID tokens.
///   - appCheck: the source of App Check tokens.
///   - time: the clock; by default, one on which delays take no time if there are no tokens to wait for.
func makeStore(
  _ transport: (any TransportInterop)?, host: String = "127.0.0.1:1",
  settings: StoreSyncSettings = StoreSyncSettings(),
  auth: (any AuthInterop)? = nil, appCheck: FakeAppCheck? = nil,
  time: TimeSource? = nil
) throws -> FirestoreRemote {
  let options = AppOptions(
    projectID: "demo-sync", apiKey: "AIzaKey", appID: "1:2:web:3",
    backend: .emulator(EmulatorHosts(firestore: host)))
  let sync = try StoreSync(
    app: AppContext(name: "test", options: options, userAgent: "tenon-tests/1"), auth: auth,
    appCheck: appCheck,
    transport: transport,
    time: time ?? (auth == nil ? TestTime(advancesItself: true).source : .system))
  sync.settings = settings
  return sync.remote
}

extension LoopbackServer {
  /// The host and the port.
  var host: String { "127.0.0.1:\(port)" }
}

extension RemoteWriting {
  /// Opens a stream, sends batches, ends them and returns the commits.
  static func commits(
    _ remote: any StoreRemote, _ batches: [RemoteBatch], token: Data? = nil,
    in context: RemoteContext = RemoteContext()
  ) async throws -> [RemoteCommit] {
    var writing = RemoteWriting(remote, context, token: token)
    for batch in batches { writing.send(batch) }
    writing.end()
    var commits: [RemoteCommit] = []
    while let event = try await writing.next() {
      if case .committed(let commit, _) = event { commits.append(commit) }
    }
    return commits
  }
}

/// Returns a write that increments the field `n` of a document.
func increment(_ path: String) -> DocumentWrite {
  DocumentWrite(
    ResourcePath(unchecked: path), .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
}

/// Returns a write that replaces a document.
func set(_ path: String, _ fields: Fields, if precondition: WritePrecondition? = nil) -> DocumentWrite {
  DocumentWrite(ResourcePath(unchecked: path), .set(fields), precondition: precondition)
}
