import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// Exchanges a debug token for an App Check token, with version 1 of Firebase's App Check service:
/// <https://firebase.google.com/docs/reference/appcheck/rest/v1/projects.apps/exchangeDebugToken>.
final class ExchangeClient: Sendable {
  /// The maximum size of an answer's body in bytes, so that decoding it takes no noticeable time. Answers
  /// have some kilobytes.
  private static let largestBody = 1 << 20
  /// The longest lifetime of a token that is accepted, in seconds: a year. Firebase's tokens live for a week
  /// at most.
  private static let longestLifetime = Duration.longestWait / .seconds(1)
  /// Every other product waits for the token, so a request isn't retried if the server is unreachable. After
  /// an answer that rejects the request, the backoff delays the next exchange instead.
  private static let retries = RetryPolicy(
    attempts: 3, firstDelay: .milliseconds(500), longestDelay: .seconds(4), statuses: [],
    failures: [.connectionLost])
  /// The value of options that are missing on the embedded backend, which accepts any text.
  private static let embedded = "embedded"

  /// The request of `exchangeDebugToken`.
  private struct Request: Encodable {
    var debugToken: Secret
    var limitedUse: Bool

    private enum CodingKeys: String, CodingKey {
      case debugToken = "debug_token"
      case limitedUse = "limited_use"
    }
  }

  /// The answer of `exchangeDebugToken`.
  private struct Answer: Decodable {
    var token: Secret
    /// The lifetime in seconds, as in `604800s`.
    var ttl: String
  }

  private let client: HTTPClient
  private let url: URL
  private let apiKey: Secret
  /// Whether unsigned tokens are accepted, which only the embedded backend issues.
  private let takesUnsigned: Bool
  private let settings: ExchangeSettings
  private let time: TimeSource
  private let backoff = Lock(ExchangeBackoff())

  /// - Parameters:
  ///   - app: the app, whose options name the project and the app.
  ///   - transport: sends requests; the platform's HTTP client if `nil`.
  ///   - settings: the time limits.
  ///   - time: the clock.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/invalidConfiguration`` if the options have no
  ///   project ID, or no API key or app ID and the backend isn't the embedded one, or if the app ID can't be
  ///   part of a URL.
  init(
    app: AppContext, transport: (any TransportInterop)?, settings: ExchangeSettings = ExchangeSettings(),
    time: TimeSource, telemetry: Telemetry = .silent
  ) throws {
    let options = app.options
    let isEmbedded = options.backend.kind == .embedded
    guard let apiKey = options.apiKey ?? (isEmbedded ? Self.embedded : nil), !apiKey.isEmpty else {
      throw AppCheckError(
        .invalidConfiguration,
        "App Check requires an API key. Set AppOptions.apiKey to the project's web API key.")
    }
    guard let appID = options.appID ?? (isEmbedded ? Self.embedded : nil), !appID.isEmpty else {
      throw AppCheckError(
        .invalidConfiguration,
        "App Check requires the app's ID. Set AppOptions.appID, for example to 1:1234567890:web:0a1b2c3d."
      )
    }
    guard let projectID = options.projectID else {
      throw AppCheckError(
        .invalidConfiguration, "App Check requires the project's ID. Set AppOptions.projectID.")
    }
    let text =
      "https://firebaseappcheck.googleapis.com/v1/projects/\(projectID)/apps/\(appID):exchangeDebugToken"
    guard let url = URL(string: text), url.query == nil, url.fragment == nil else {
      throw AppCheckError(
        .invalidConfiguration, "The app's ID \"\(appID)\" can't be part of a URL. Check AppOptions.appID.")
    }
    var client = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    client.retries = Self.retries
    client.time = time
    self.client = client
    self.url = url
    self.apiKey = Secret(apiKey)
    self.settings = settings
    takesUnsigned = isEmbedded
    self.time = time
  }

  /// Returns a new token.
  ///
  /// - Parameters:
  ///   - debugToken: the debug token, a secret.
  ///   - limitedUse: whether the token is for one request.
  /// - Throws: ``AppCheckError``; with ``AppCheckError/Code/tooManyAttempts``, without a request, until the
  ///   backoff has passed.
  func exchange(_ debugToken: Secret, limitedUse: Bool) async throws -> AppCheckToken {
    if let wait = backoff.withLock({ [now = time.now()] in $0.remaining(at: now) }) {
      throw AppCheckError(
        .tooManyAttempts,
        "The App Check server rejected the last exchange. The next one may be made in \(wait.components.seconds + 1) s."
      )
    }
    let response = try await answer(to: Request(debugToken: debugToken, limitedUse: limitedUse))
    guard response.isSuccess else {
      let retryAfter = response.retryAfter(now: time.date())
      backoff.withLock { [now = time.now(), random = time.random()] in
        $0.fail(status: response.status, retryAfter: retryAfter, at: now, random: random)
      }
      throw AppCheckError(response, hiding: [debugToken.value, apiKey.value])
    }
    backoff.withLock { $0.succeed() }
    return try token(in: response)
  }

  /// Sends a request. Errors of the transport are thrown as ``AppCheckError/Code/serverUnreachable``.
  private func answer(to body: Request) async throws -> TransportResponse {
    var headers = HTTPHeaders()
    headers.add("X-Goog-Api-Key", apiKey.value)
    let limits = settings.values
    do {
      var request = try TransportRequest.json(
        .post, url, body, headers: headers, deadline: limits.timeoutInterval)
      request.timeouts = limits.timeouts
      request.limits.bodyBytes = Self.largestBody
      return try await client.send(request, repeatable: true)
    } catch let error as TransportError {
      throw AppCheckError(error)
    }
  }

  /// Returns the token of an answer, whose lifetime begins now. The content is secret, so errors don't quote
  /// it.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/invalidToken``.
  private func token(in response: TransportResponse) throws(AppCheckError) -> AppCheckToken {
    guard let answer = try? JSON.decode(Answer.self, from: response.body),
      let lifetime = Double(decimal: answer.ttl.hasSuffix("s") ? String(answer.ttl.dropLast()) : answer.ttl),
      lifetime > 0, lifetime <= Self.longestLifetime
    else {
      throw AppCheckError(
        .invalidToken,
        "The App Check server's answer isn't a token with a lifetime. Check that the app uses the intended backend."
      )
    }
    guard takesUnsigned || !TokenRules.isUnsigned(answer.token.value) else {
      throw AppCheckError(
        .invalidToken,
        "Firebase's server sent an unsigned App Check token, which wasn't accepted. Check that the app uses the "
          + "intended backend."
      )
    }
    // Checked: a date, and at most a year.
    return AppCheckToken(token: answer.token.value, expirationDate: time.date() + lifetime)
  }
}
