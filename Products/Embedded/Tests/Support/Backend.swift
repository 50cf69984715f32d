import Foundation
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// An embedded backend of the project `demo` with a clock that the test controls.
struct Backend {
  let embedded: Embedded
  let clock: TestClock

  /// Creates a backend.
  ///
  /// - Parameters:
  ///   - clock: its wall clock.
  ///   - timers: the clock of its deadlines and delays; by default the machine's. With a clock that stands
  ///     still, no session ends because the test is slow.
  init(
    directory: String? = nil, clock: TestClock = TestClock(), timers: TestTime? = nil,
    hasher: PasswordHasher = PasswordHasher()
  ) {
    var time = timers?.source ?? .system
    time.date = { clock.now.dateValue() }
    embedded = Embedded(projectID: "demo", directory: directory, hasher: hasher, time: time)
    self.clock = clock
  }

  /// Calls a method of Identity Toolkit as a client.
  func call(
    _ method: String,
    _ body: JSON = [:],
    headers: [String: String] = [:]
  ) async throws -> (status: Int, json: JSON) {
    let url = "https://identitytoolkit.googleapis.com/v1/\(method)?key=any"
    return try await post(url, body: body.serialized, headers: headers)
  }

  /// Calls a method as an administrator.
  func administrate(_ method: String, _ body: JSON) async throws -> (status: Int, json: JSON) {
    try await call("projects/demo/\(method)", body, headers: ["Authorization": "Bearer owner"])
  }

  /// The stored form of a key of App Check tokens for all backends of the process, because generating one takes
  /// a moment.
  private static let appCheckKey = Result { try AppCheckKey.generated() ?? [] }

  /// Returns an App Check token that the backend has signed.
  func appCheckToken(appID: String = "1:42:web:a1", lifetime: Int64 = 3_600) async throws -> String {
    let key = Data(try Self.appCheckKey.get())
    try await embedded.database.transaction { database in
      guard try database.appCheckKey() == nil else { return }
      try database.opened().run("INSERT INTO app_check_keys (private_key) VALUES (?)", [.blob(key)])
    }
    return try await embedded.appCheck.text(
      of: AttestationToken(appID: appID, projectID: "demo", lifetime: lifetime, now: clock.now))
  }

  func refresh(_ refreshToken: JSON?) async throws -> (status: Int, json: JSON) {
    let body: JSON = ["grantType": "refresh_token", "refreshToken": try #require(refreshToken)]
    return try await post("https://securetoken.googleapis.com/v1/token?key=any", body: body.serialized)
  }

  func post(
    _ url: String,
    body: Data,
    headers: [String: String] = [:]
  ) async throws -> (status: Int, json: JSON) {
    let headers = headers.merging(["Content-Type": "application/json"]) { own, _ in own }
    let response = try await send(.post, url, body: body, headers: headers)
    return (response.status, try JSON(parsing: response.body))
  }

  func send(
    _ method: HTTPMethod,
    _ url: String,
    body: Data? = nil,
    headers: [String: String] = [:]
  ) async throws -> TransportResponse {
    let fields = headers.map { HTTPHeader(name: $0.key, value: $0.value) }
    return try await embedded.send(
      TransportRequest(
        method,
        try #require(URL(string: url)),
        headers: HTTPHeaders(fields),
        body: body.map { .data($0) } ?? .none
      )
    )
  }
}

/// A clock that advances only when the test advances it.
final class TestClock: Sendable {
  private let time = Lock(Timestamp(millisecondsSince1970: 1_700_000_000_000))

  var now: Timestamp { time.withLock { $0 } }
  func advance(bySeconds seconds: Int64) {
    time.withLock { $0 = Timestamp(millisecondsSince1970: $0.millisecondsSince1970 + seconds * 1_000) }
  }
}

/// A directory that the test removes.
struct TemporaryDirectory {
  let path = NSTemporaryDirectory() + "embedded-\(UUID())"

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension JSON {
  /// The message of an error response.
  var errorMessage: String? { self["error"]?["message"]?.string }
}

extension JSON {
  /// Returns the ID token in a member.
  func token(_ name: String) throws -> IDToken {
    let text = try #require(self[name]?.string)
    return try #require(IDToken(text))
  }
}
