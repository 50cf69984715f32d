import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Exchanges a debug token for an App Check token, at version 1 of Firebase's App Check service.
final class ExchangeClient: Sendable {
  /// How long one exchange may take.
  private static let deadline = Duration.seconds(30)
  /// The longest time that a token is taken to hold, a year. Firebase's hold for a week at most.
  private static let longestLifetime = Duration.longestWait / .seconds(1)
  /// Every other product waits for the token, so without a network nothing is tried again; and what the server refused
  /// waits for the back-off.
  private static let retries = RetryPolicy(
    attempts: 3, firstDelay: .milliseconds(500), longestDelay: .seconds(4), statuses: [],
    failures: [.connectionLost])
  /// Stands for what the options leave out where any text will do.
  private static let embedded = "embedded"

  private struct Request: Encodable {
    var debugToken: Secret
    var limitedUse: Bool

    private enum CodingKeys: String, CodingKey {
      case debugToken = "debug_token"
      case limitedUse = "limited_use"
    }
  }

  private struct Answer: Decodable {
    var token: Secret
    var ttl: String
  }

  private let client: HTTPClient
  private let url: URL
  private let apiKey: String
  private let takesUnsigned: Bool
  private let pace: TimeSource
  private let backoff = Lock(ExchangeBackoff())

  init(app: AppContext, transport: (any TransportInterop)?, pace: TimeSource) throws {
    let options = app.options
    let isEmbedded = options.backend.kind == .embedded
    guard let apiKey = options.apiKey ?? (isEmbedded ? Self.embedded : nil), !apiKey.isEmpty else {
      throw AppCheckError(
        .invalidConfiguration,
        "App Check needs an API key. Set AppOptions.apiKey to the project's web API key.")
    }
    guard let appID = options.appID ?? (isEmbedded ? Self.embedded : nil), !appID.isEmpty else {
      throw AppCheckError(
        .invalidConfiguration,
        "App Check needs the app's id. Set AppOptions.appID, for example to 1:1234567890:web:0a1b2c3d."
      )
    }
    let text =
      "https://firebaseappcheck.googleapis.com/v1/projects/\(options.projectID)/apps/\(appID):exchangeDebugToken"
    guard let url = URL(string: text), url.query == nil, url.fragment == nil else {
      throw AppCheckError(.invalidConfiguration, "The app's id \"\(appID)\" can't be part of a URL.")
    }
    var client = try HTTPClient(app: app, transport: transport)
    client.retries = Self.retries
    client.time = pace
    self.client = client
    self.url = url
    self.apiKey = apiKey
    takesUnsigned = isEmbedded
    self.pace = pace
  }

  func exchange(_ debugToken: Secret, limitedUse: Bool) async throws -> AppCheckToken {
    if let wait = backoff.withLock({ [now = pace.now()] in $0.remaining(at: now) }) {
      throw AppCheckError(
        .tooManyAttempts,
        "The App Check server refused the last exchange. The next one is made in \(wait.components.seconds + 1) s."
      )
    }
    let response = try await answer(to: Request(debugToken: debugToken, limitedUse: limitedUse))
    guard response.isSuccess else {
      let retryAfter = response.retryAfter(now: pace.date())
      backoff.withLock { [now = pace.now(), random = pace.random()] in
        $0.fail(status: response.status, retryAfter: retryAfter, at: now, random: random)
      }
      throw AppCheckError(response, hiding: debugToken)
    }
    backoff.withLock { $0.succeed() }
    return try token(in: response)
  }

  private func answer(to body: Request) async throws -> HTTPResponse {
    var headers = HTTPHeaders()
    headers.add("X-Goog-Api-Key", apiKey)
    do {
      let request = try HTTPRequest.json(.post, url, body, headers: headers, deadline: Self.deadline)
      return try await client.send(request, repeatable: true)
    } catch let error as TransportError {
      throw AppCheckError(
        .serverUnreachable,
        "The App Check server could not be asked: \(error.message)",
        underlying: error
      )
    }
  }

  /// The token of an answer. The content is secret, so it isn't quoted.
  private func token(in response: HTTPResponse) throws(AppCheckError) -> AppCheckToken {
    guard let answer = try? JSONDecoder().decode(Answer.self, from: response.body),
      let lifetime = TimeInterval(answer.ttl.hasSuffix("s") ? String(answer.ttl.dropLast()) : answer.ttl),
      lifetime > 0, lifetime <= Self.longestLifetime
    else {
      throw AppCheckError(.invalidToken, "The App Check server's answer is not a token with its lifetime.")
    }
    guard takesUnsigned || !TokenRules.isUnsigned(answer.token.value) else {
      throw AppCheckError(
        .invalidToken,
        "An unsigned App Check token came from what should be Firebase's server. It was not accepted."
      )
    }
    return AppCheckToken(answer.token.value, expires: pace.date() + lifetime)
  }
}
