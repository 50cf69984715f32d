public import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The response of a function to a ``FunctionRequest``.
public struct FunctionResponse: Sendable {
  /// The content.
  enum Content: Sendable {
    case data(Data)
    case stream(AsyncThrowingStream<Data, any Error>)
  }

  /// The status.
  public var status: Int
  /// The header fields.
  var fields: HTTPHeaders
  let content: Content

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: the status, from 200 to 599; 200 by default.
  ///   - headers: the header fields. A name may occur several times.
  ///   - body: the content; empty by default.
  public init(status: Int = 200, headers: KeyValuePairs<String, String> = [:], body: Data = Data()) {
    self.status = status
    fields = Self.fields(headers)
    content = .data(body)
  }

  /// Creates a response whose content is sent as it is produced. The stream isn't read faster than the client
  /// reads, and ends when the client leaves.
  ///
  /// - Parameters:
  ///   - status: the status, from 200 to 599; 200 by default.
  ///   - headers: the header fields.
  ///   - stream: the content. If it ends with an error, the client's connection ends before the content is
  ///     complete.
  public init(
    status: Int = 200, headers: KeyValuePairs<String, String> = [:],
    stream: AsyncThrowingStream<Data, any Error>
  ) {
    self.status = status
    fields = Self.fields(headers)
    content = .stream(stream)
  }

  /// Creates a response of text: `text/plain; charset=utf-8`.
  ///
  /// - Parameters:
  ///   - status: the status, from 200 to 599; 200 by default.
  ///   - text: the content.
  public init(status: Int = 200, text: String) {
    self.init(
      status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
  }

  /// Creates a response of JSON: `application/json; charset=utf-8`.
  ///
  /// - Parameters:
  ///   - status: the status, from 200 to 599; 200 by default.
  ///   - value: the content.
  /// - Throws: `EncodingError` if the value has no JSON form.
  public init(status: Int = 200, json value: some Encodable) throws {
    self.init(
      status: status, headers: ["Content-Type": "application/json; charset=utf-8"],
      body: try JSONEncoder().encode(value))
  }

  private static func fields(_ headers: KeyValuePairs<String, String>) -> HTTPHeaders {
    HTTPHeaders(headers.map { HTTPHeader(name: $0.key, value: $0.value) })
  }

  /// What keeps the response from being sent; `nil` if nothing does.
  var problem: String? {
    guard (200...599).contains(status) else { return "its status is \(status)" }
    guard fields.fields.count <= HTTPLimits().headerCount else {
      return "it has \(fields.fields.count) header fields"
    }
    return fields.fields.first { !$0.isValid }.map { "its header field \($0.name.prefix(80)) isn't valid" }
  }
}

/// The pages of other origins that a browser lets read the responses of a function, as `cors` of Cloud
/// Functions (the Fetch standard, "CORS protocol").
public struct FunctionCORS: Sendable, Hashable {
  private enum Rule: Sendable, Hashable {
    case handler, everyone
    case origins([String])
  }

  private let rule: Rule

  /// The function itself responds to `OPTIONS`, and sends the fields.
  public static let handledByFunction = FunctionCORS(rule: .handler)
  /// Pages of every origin.
  public static let everyone = FunctionCORS(rule: .everyone)

  /// Pages of some origins.
  ///
  /// - Parameter origins: the origins, for example `https://example.com`.
  public static func origins(_ origins: String...) -> FunctionCORS { FunctionCORS(rule: .origins(origins)) }

  private init(rule: Rule) { self.rule = rule }

  /// Whether a response to `OPTIONS` comes from the function.
  var isHandledByFunction: Bool { rule == .handler }

  /// Returns the fields of the response to a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - methods: the methods that a page may use, for a preflight.
  func fields(for request: TransportRequest, methods: String) -> [HTTPHeader] {
    guard !isHandledByFunction else { return [] }
    var fields = [HTTPHeader(name: "Vary", value: "Origin")]
    guard let origin = request.headers["Origin"], allows(origin) else { return fields }
    fields.append(HTTPHeader(name: "Access-Control-Allow-Origin", value: origin))
    guard request.method == .options else { return fields }
    fields.append(HTTPHeader(name: "Access-Control-Allow-Methods", value: methods))
    if let names = request.headers["Access-Control-Request-Headers"] {
      fields.append(HTTPHeader(name: "Access-Control-Allow-Headers", value: names))
      fields.append(HTTPHeader(name: "Vary", value: "Access-Control-Request-Headers"))
    }
    return fields
  }

  private func allows(_ origin: String) -> Bool {
    if case .origins(let origins) = rule { origins.contains(origin) } else { rule == .everyone }
  }
}
