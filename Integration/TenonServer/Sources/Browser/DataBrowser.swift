import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The data browser: a page at `/` for people, and what it asks for below `/-/`.
///
/// Who has the token is an administrator of the backend. Only pages of the server itself may send it, and
/// ``AccessRules`` has refused hosts that aren't loopback before.
struct DataBrowser: Sendable {
  /// What becomes of a request.
  enum Outcome {
    /// It is answered here.
    case answer(TransportStreamingResponse)
    /// It is for the backend, in this form.
    case forward(TransportRequest)
    /// It isn't for the browser.
    case other
  }

  /// The beginning of the paths that need the token, except for the files of the page.
  static let prefix = "/-/"

  let token = BrowserToken()
  private let embedded: Embedded
  private let project: String
  /// Where the data is; `nil` for memory.
  private let directory: String?
  private let rules: BrowserRules

  /// - Parameters:
  ///   - embedded: the backend.
  ///   - project: the project that is served.
  ///   - directory: the folder of the data; `nil` for memory.
  ///   - protectsDocuments: whether documents outside of `users/UID` are denied to users without rules.
  init(_ embedded: Embedded, project: String, directory: String?, protectsDocuments: Bool) {
    self.embedded = embedded
    self.project = project
    self.directory = directory
    rules = BrowserRules(embedded, protectsDocuments: protectsDocuments)
  }

  /// Returns the address of the page, with the token.
  func address(_ places: ServedPlaces) -> String {
    "http://\(places.address(of: places.emulators[0]))/?token=\(token.secret.value)"
  }

  /// Returns what becomes of a request.
  func outcome(of request: TransportRequest) async -> Outcome {
    let path = request.url.path
    if path.isEmpty || path == "/" { return root(request) }
    guard path.hasPrefix(Self.prefix) else { return .other }
    let name = String(path.dropFirst(Self.prefix.count))
    if name.hasPrefix("page/"), request.method == .get {
      let file = BrowserPage.file(String(name.dropFirst("page/".count)))
      return .answer(file ?? Self.failure(404, "The data browser has no such file."))
    }
    guard isFromHere(request) else {
      return .answer(Self.failure(403, "Only the page of this server may ask for this."))
    }
    guard token.matches(request.headers[BrowserToken.field]) else {
      return .answer(
        Self.failure(
          401, "This needs the token of the address that tenon-server printed when it started."))
    }
    if name.hasPrefix("backend/") { return forwarded(request) }
    return .answer(await answer(request, name))
  }

  /// Returns the page for people. Programs, which don't ask for a page, get the answer of the hub.
  private func root(_ request: TransportRequest) -> Outcome {
    guard request.method == .get else { return .other }
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    let given = items.first { $0.name == "token" }
    guard given != nil || request.headers["Accept"]?.contains("text/html") == true else { return .other }
    return .answer(token.matches(given?.value) ? BrowserPage.index : BrowserPage.locked)
  }

  /// Whether a request comes from a page of this server, or from no page at all.
  private func isFromHere(_ request: TransportRequest) -> Bool {
    guard let origin = request.headers["Origin"] else { return true }
    guard let host = request.headers["Host"], let own = WebOrigin("http://\(host)") else { return false }
    return WebOrigin(origin) == own
  }

  /// Returns a request below `/-/backend` as that of an administrator to the backend.
  private func forwarded(_ request: TransportRequest) -> Outcome {
    let mark = "\(Self.prefix)backend"
    let text = request.url.absoluteString
    guard let range = text.firstRange(of: mark),
      let url = URL(string: String(text[..<range.lowerBound] + text[range.upperBound...]))
    else { return .answer(Self.failure(400, "The request's target isn't a URL.")) }
    var request = request
    request.url = url
    let own: Set<String> = ["authorization", "origin", "referer", BrowserToken.field.lowercased()]
    request.headers.fields.removeAll { own.contains($0.name.lowercased()) }
    request.headers.fields.append(HTTPHeader(name: "Authorization", value: "Bearer owner"))
    return .forward(request)
  }

  // MARK: - What only the browser has

  private func answer(_ request: TransportRequest, _ name: String) async -> TransportStreamingResponse {
    do {
      switch (request.method, name) {
      case (.get, "information"): return Self.response(200, try await information())
      case (.get, "functions"): return Self.response(200, try await BrowserFunctions(embedded).list())
      case (.post, "functions/retry"):
        let id = try await Self.body(of: request)["id"]?.string ?? ""
        return Self.response(200, ["found": .bool(try await embedded.retryFailedEvent(id))])
      case (.get, "rules"): return Self.response(200, rules.list())
      case (.post, "rules/verdict"):
        return Self.response(200, try await rules.verdict(try await Self.text(of: request)))
      case (.post, "changes"):
        return try ChangeFeed.response(try await Self.text(of: request), embedded)
      default: return Self.failure(404, "The data browser doesn't have \(request.method.rawValue) \(name).")
      }
    } catch let problem as BrowserProblem {
      return Self.failure(400, problem.description)
    } catch {
      return Self.failure(500, "\(error)")
    }
  }

  private func information() async throws -> JSON {
    [
      "project": .string(project), "version": .string(Release.version),
      "directory": directory.map(JSON.string) ?? .null,
      "databases": .array(try await embedded.databaseNames.map(JSON.string)),
    ]
  }

  // MARK: - Messages

  /// The greatest size of a request's content, in bytes.
  private static let largestText = 4 << 20

  private static func text(of request: TransportRequest) async throws -> Data {
    switch request.body {
    case .none: return Data()
    case .data(let data) where data.count <= largestText: return data
    default: throw BrowserProblem("The content is too large.")
    }
  }

  private static func body(of request: TransportRequest) async throws -> JSON {
    do { return try JSON(parsing: try await text(of: request)) } catch let error as JSONError {
      throw BrowserProblem("The content isn't JSON: \(error).")
    }
  }

  private static func failure(_ status: Int, _ message: String) -> TransportStreamingResponse {
    response(status, ["error": ["code": .int(Int64(status)), "message": .string(message)]])
  }

  static func response(_ status: Int, _ content: JSON) -> TransportStreamingResponse {
    let text = (try? content.serialized) ?? Data()
    let fields = [
      ("Content-Type", "application/json; charset=utf-8"), ("Content-Length", String(text.count)),
      ("Cache-Control", "no-store"), ("Content-Security-Policy", BrowserPage.policy),
    ]
    return TransportStreamingResponse(
      status: status, headers: HTTPHeaders(fields.map { HTTPHeader(name: $0.0, value: $0.1) }),
      body: AsyncThrowingStream { continuation in
        continuation.yield(text)
        continuation.finish()
      })
  }
}

/// Why a request of the page can't be answered.
struct BrowserProblem: Error, CustomStringConvertible {
  /// What is wrong, as a sentence.
  let description: String

  init(_ description: String) { self.description = description }
}
