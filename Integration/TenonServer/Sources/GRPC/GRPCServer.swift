import FirestoreProtobuf
import NIOCore
import NIOHPACK
import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// The services of gRPC: turns a call into what the embedded backend understands.
struct GRPCServer: Sendable {
  let gateway: Gateway
  /// The streams of clients that are open.
  private let streams = OpenStreams()

  init(gateway: Gateway) { self.gateway = gateway }

  /// Returns why a request isn't a call that may be made: a status and a sentence; `nil` for a call.
  func refusal(of head: HPACKHeaders) -> (Int, String)? {
    let names = head.map { (name: $0.name, value: $0.value) }
    let host = head.first(name: ":authority") ?? head.first(name: "host") ?? ""
    guard let authority = Authority(host) else { return (400, "The authority isn't a name with a port.") }
    let request = RequestHead(
      method: head.first(name: ":method") ?? "", target: head.first(name: ":path") ?? "",
      authority: authority, fields: names)
    if let failure = gateway.access.refusal(of: request) { return (failure.status, failure.message) }
    guard request.method == "POST", request["content-type"]?.hasPrefix("application/grpc") == true,
      request["content-type"]?.hasPrefix("application/grpc-web") == false
    else { return (415, "Over HTTP/2, the server speaks gRPC. Use HTTP/1.1 for everything else.") }
    return nil
  }

  /// Runs a call.
  ///
  /// - Throws: ``GRPCStatus`` and other errors, which end the call.
  func run(
    _ head: HPACKHeaders, _ inbox: GRPCInbox, _ writer: GRPCWriter, on eventLoop: any EventLoop
  ) async throws {
    let parts = (head.first(name: ":path") ?? "").split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty else {
      throw GRPCStatus(.unimplemented, "A call names a service and a method.")
    }
    let (service, name) = (String(parts[1]), String(parts[2]))
    if let method = AdministrationMethod(service: service, name: name) {
      let request = try method.request(try await inbox.only(), Self.request(head))
      return try await writer.write(try method.response(try await body(of: try await answer(request))))
    }
    guard service == "google.firestore.v1.Firestore", let method = FirestoreMethod(rawValue: name) else {
      throw GRPCStatus(.unimplemented, "The embedded backend doesn't support \(service)/\(name).")
    }
    switch method {
    case .listen, .write:
      try streams.begin(on: eventLoop)
      defer { streams.end(on: eventLoop) }
      try await DocumentMessages(method, inbox, writer).run(gateway.embedded, Self.request(head))
    default: try await answer(method, try await inbox.only(), head, writer)
    }
  }

  /// Runs a method with one request.
  private func answer(
    _ method: FirestoreMethod, _ message: [UInt8], _ head: HPACKHeaders, _ writer: GRPCWriter
  ) async throws {
    let answer = try await answer(try method.request(message, Self.request(head)))
    guard method.isStreaming else {
      return try await writer.write(try method.response(try await body(of: answer)))
    }
    var splitter = JSONElementSplitter()
    for try await piece in answer.body {
      for element in try splitter.append(piece) { try await writer.write(try method.response(Data(element))) }
    }
    try Task.checkCancellation()
  }

  /// Returns the response of the backend to a request that succeeds.
  ///
  /// - Throws: ``GRPCStatus`` for a request that fails.
  private func answer(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let answer = await gateway.answer(request)
    guard answer.status != 200 else { return answer }
    throw GRPCStatus(StoreRemoteError(http: answer.status, body: try await body(of: answer)))
  }

  private func body(of answer: TransportStreamingResponse) async throws -> Data {
    var body = Data()
    for try await piece in answer.body { body += piece }
    try Task.checkCancellation()
    return body
  }

  /// Returns a request without a body, with the credentials of a call.
  private static func request(_ head: HPACKHeaders) throws -> TransportRequest {
    guard let url = URL(string: "http://127.0.0.1/") else { throw CancellationError() }
    let names = ["authorization", "x-firebase-appcheck"]
    let fields = names.compactMap { name in
      head.first(name: name).map { HTTPHeader(name: name, value: $0) }
    }
    return TransportRequest(.post, url, headers: HTTPHeaders(fields))
  }
}

/// Counts the streams of clients of all connections, each of which may hold messages that its client hasn't
/// received.
private final class OpenStreams: Sendable {
  private let count = Lock(0)
  private let memory = MemoryReturn()

  /// As many as there may be sessions of WebChannel.
  private static let most = 2_000

  /// - Throws: ``GRPCStatus`` if there are too many.
  func begin(on eventLoop: any EventLoop) throws(GRPCStatus) {
    let number: Int? = count.withLock { count in
      guard count < Self.most else { return nil }
      count += 1
      return count
    }
    guard let number else {
      throw GRPCStatus(
        .resourceExhausted, "\(Self.most) streams are open. Close those that aren't needed.")
    }
    memory.note(number, eventLoop)
  }

  func end(on eventLoop: any EventLoop) {
    let number = count.withLock { count in
      count -= 1
      return count
    }
    memory.note(number, eventLoop)
  }
}
