import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Batches of the JSON API (https://cloud.google.com/storage/docs/batch).
extension ObjectService {
  /// The greatest number of requests of a batch. Google's clients allow more than the 100 of Cloud Storage.
  private static let mostRequests = 1_000
  /// The greatest size of a batch, in bytes.
  private static let largestBatch = 10 << 20

  /// Handles `POST` of `batch/storage/v1`: executes the requests of the parts one after another. Uploads and
  /// downloads can't be part of a batch.
  ///
  /// - Parameters:
  ///   - request: the batch.
  ///   - route: its URL.
  ///   - caller: its caller, who is also that of the parts without credentials.
  /// - Returns: the responses as the parts of a body of type `multipart/mixed`.
  func batch(
    _ request: TransportRequest, _ route: Route, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    try checkAdministration(caller)
    let call = ObjectCall(
      request: request, caller: caller, query: route.query, bucket: "", name: nil, origin: route.origin)
    guard request.method == .post else { throw Refusal.notFound }
    let type = MediaType(request.headers["Content-Type"] ?? "")
    guard type.essence == "multipart/mixed", let boundary = type.parameters["boundary"], !boundary.isEmpty
    else {
      throw Refusal.badObjectRequest("The Content-Type of a batch must be multipart/mixed with a boundary.")
    }
    let content = try await call.content(upTo: Self.largestBatch)
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Refusal.badObjectRequest("The batch isn't UTF-8.")
    }
    let parts = try Self.parts(of: text, boundary: boundary)
    let answerBoundary = "batch_\(RandomText.make(count: 24))"
    var answer = ""
    for part in parts {
      try Task.checkCancellation()
      answer += "--\(answerBoundary)\r\nContent-Type: application/http\r\n"
      if let id = part.id { answer += "Content-ID: <response-\(id.trimmed { $0 == "<" || $0 == ">" })>\r\n" }
      answer += "\r\n" + (try await self.answer(toPart: part, of: request, route, caller)) + "\r\n"
    }
    answer += "--\(answerBoundary)--\r\n"
    let headers = HTTPHeaders([
      HTTPHeader(name: "Content-Type", value: "multipart/mixed; boundary=\(answerBoundary)")
    ])
    return TransportStreamingResponse(
      TransportResponse(status: 200, headers: headers, body: Data(answer.utf8)))
  }

  /// A request in a batch.
  private struct Part {
    /// The value of the part's `Content-ID`.
    var id: String?
    /// The method.
    var method: String
    /// The URL, or its path and query.
    var target: String
    /// The header fields.
    var fields: [HTTPHeader]
    /// The body.
    var body: String
  }

  /// Parses the parts of a batch. Lines may end with or without a carriage return, because Google's clients
  /// use both.
  private static func parts(of text: String, boundary: String) throws -> [Part] {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
    }
    var parts: [[String]] = []
    for line in lines {
      if line == "--\(boundary)--" { break }
      if line == "--\(boundary)" {
        guard parts.count < mostRequests else {
          throw Refusal.badObjectRequest("A batch must have at most \(mostRequests) requests.")
        }
        parts.append([])
      } else if let last = parts.indices.last {
        parts[last].append(line)
      }
    }
    guard !parts.isEmpty else { throw Refusal.badObjectRequest("The batch has no requests.") }
    return try parts.map(part)
  }

  /// Parses a part: its fields, and behind an empty line the request.
  private static func part(_ lines: [String]) throws -> Part {
    var rest = lines[...]
    let fields = takeFields(&rest)
    let request = rest.popFirst()?.split(separator: " ") ?? []
    guard request.count == 3, request[2].hasPrefix("HTTP/1.") else {
      throw Refusal.badObjectRequest("A part of the batch isn't an HTTP request.")
    }
    return Part(
      id: fields.first { $0.name.lowercased() == "content-id" }?.value, method: String(request[0]),
      target: String(request[1]), fields: takeFields(&rest), body: rest.joined(separator: "\n"))
  }

  /// Takes the lines up to an empty one, and returns them as header fields.
  private static func takeFields(_ lines: inout ArraySlice<String>) -> [HTTPHeader] {
    var fields: [HTTPHeader] = []
    while let line = lines.popFirst(), !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields.append(
        HTTPHeader(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]).trimmed))
    }
    return fields
  }

  /// Executes a request of a batch.
  ///
  /// - Returns: the response as text. An error is a response as well.
  private func answer(
    toPart part: Part, of request: TransportRequest, _ route: Route, _ caller: Caller
  ) async throws -> String {
    let response: TransportResponse
    do {
      guard let url = URL(string: part.target, relativeTo: request.url)?.absoluteURL,
        let inner = Route(url, projectID: projectID), inner.service == .objects,
        inner.path.first == "storage", inner.query["alt"] != "media"
      else { throw Refusal.badObjectRequest("The request can't be part of a batch.") }
      let body: HTTPBody = part.body.isEmpty ? .none : .data(Data(part.body.utf8))
      let single = TransportRequest(
        HTTPMethod(rawValue: part.method), url, headers: HTTPHeaders(part.fields), body: body)
      let isAdmitted = single.headers["Authorization"] == nil
      try await authenticator.prepare(for: single)
      let innerCaller = isAdmitted ? caller : try authenticator.admit(single, to: .storage)
      let streamed = try await answerJSON(single, route: inner, by: innerCaller)
      var content = Data()
      for try await piece in streamed.body { content += piece }
      response = TransportResponse(status: streamed.status, headers: streamed.headers, body: content)
    } catch let error as AuthenticationError {
      response = try error.refusal.response
    } catch let refusal as Refusal {
      response = try refusal.response
    }
    var text = "HTTP/1.1 \(response.status) \(Self.phrase(response.status))\r\n"
    for field in response.headers.fields where field.name.lowercased() != "content-length" {
      text += "\(field.name): \(field.value)\r\n"
    }
    return text + "Content-Length: \(response.body.count)\r\n\r\n"
      + String(decoding: response.body, as: UTF8.self)
  }

  /// Returns the reason phrase of a status, which clients of batches require but don't interpret.
  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 412: "Precondition Failed"
    default: status < 400 ? "Success" : "Error"
    }
  }
}
