import TenonFoundation
import TenonJSON
import TenonSignatures
import TenonTransport
import TenonTransportInterop

/// The public keys of one issuer of tokens, which Google publishes and replaces every few days. They are
/// loaded when a token is first verified, and again when the time has passed for which the answer may be kept
/// (`Cache-Control`), or when a token names a key that isn't among them.
final class KeySet: Sendable {
  private struct State {
    /// The keys by their identifiers.
    var keys: [String: PublicKey] = [:]
    /// Until when the keys may be used.
    var end: ContinuousClock.Instant?
    /// When the keys were last requested.
    var lastRequest: ContinuousClock.Instant?
    /// The request in flight.
    var request: SharedTask<Void>?
    /// Why the last request failed; `nil` after a success.
    var failure: AdminError?
  }

  /// How often the keys are requested at most because of tokens that name unknown ones, which anyone can
  /// make.
  private static let shortestPause = Duration.seconds(30)
  /// How long after a failure the keys aren't requested again.
  private static let pauseAfterFailure = Duration.seconds(1)
  /// How long keys are kept at least and at most, whatever the answer says.
  private static let lifetimes = 60.0...86_400.0
  /// The greatest size of the answer in bytes, and the greatest number of keys in it.
  private static let largestAnswer = 256 << 10
  private static let mostKeys = 64
  /// The time limit of a request with its retries.
  private static let timeLimit = Duration.seconds(15)

  private let kind: TokenKind
  private let client: HTTPClient
  private let time: TimeSource
  private let state = Lock(State())

  init(_ kind: TokenKind, client: HTTPClient, time: TimeSource) {
    self.kind = kind
    self.client = client
    self.time = time
  }

  /// Returns the key with an identifier; `nil` if the issuer has no such key.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/certificateFetchFailed``; `CancellationError`.
  func key(_ id: String) async throws -> PublicKey? {
    if let known = present(id) { return known }
    guard let request = try request() else { return nil }
    try await request.value()
    if let known = present(id) { return known }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return nil
  }

  /// Returns a key that may be used; `nil` if there is none.
  private func present(_ id: String) -> PublicKey? {
    let now = time.now()
    return state.withLock { state in
      guard let end = state.end, now < end else { return nil }
      return state.keys[id]
    }
  }

  /// Returns the request for the keys that is in flight, or starts one; `nil` if the keys are fresh and were
  /// requested a short time ago.
  ///
  /// - Throws: the error of a request that has just failed.
  private func request() throws -> SharedTask<Void>? {
    let now = time.now()
    return try state.withLock { state in
      if let request = state.request, !request.isOver { return request }
      if let last = state.lastRequest {
        if let failure = state.failure, now < last + Self.pauseAfterFailure { throw failure }
        let isFresh = state.end.map { now < $0 } ?? false
        if isFresh, state.failure == nil, now < last + Self.shortestPause { return nil }
      }
      state.lastRequest = now
      // Others may wait for the keys, so cancelling one verification doesn't end it.
      let request = SharedTask(runsToCompletion: true) { [self] in try await load() }
      state.request = request
      return request
    }
  }

  /// Loads the keys. A failure leaves those that may still be used.
  private func load() async throws {
    do {
      let (keys, lifetime) = try await loaded()
      let end = time.now() + .wait(seconds: lifetime)
      state.withLock { state in
        (state.keys, state.end, state.failure) = (keys, end, nil)
      }
    } catch {
      let failure =
        (error as? AdminError)
        ?? AdminError(
          .certificateFetchFailed,
          "Google's keys for the \(kind.name) can't be loaded from \(host): \(error). Check this machine's network.",
          underlying: error)
      state.withLock { $0.failure = failure }
    }
  }

  private var host: String { URL(string: kind.keys)?.host() ?? "" }

  /// Returns the keys, and for how many seconds they may be kept.
  private func loaded() async throws -> ([String: PublicKey], lifetime: Double) {
    guard let url = URL(string: kind.keys) else { return ([:], 0) }
    var request = TransportRequest(.get, url)
    request.deadline = Self.timeLimit
    request.limits.bodyBytes = Self.largestAnswer
    let response = try await client.send(request, repeatable: true)
    guard response.isSuccess, let set = try? JSON(parsing: response.body, limit: Self.largestAnswer),
      let list = set["keys"]?.array, list.count <= Self.mostKeys
    else {
      throw AdminError(
        .certificateFetchFailed,
        "\(host) answered with status \(response.status) and no keys for the \(kind.name). Try again later.")
    }
    var keys: [String: PublicKey] = [:]
    for key in list {
      guard let id = key["kid"]?.string, key["kty"]?.string == "RSA", key["use"]?.string ?? "sig" == "sig",
        key["alg"]?.string ?? "RS256" == "RS256",
        let modulus = key["n"]?.string.flatMap({ Base64URLBytes.decode($0.utf8) }),
        let exponent = key["e"]?.string.flatMap({ Base64URLBytes.decode($0.utf8) })
      else { continue }
      keys[id] = try AdminError.withCryptography { () throws(CryptographyUnavailable) in
        try PublicKey(modulus: modulus, exponent: exponent)
      }
    }
    return (keys, Self.lifetime(of: response))
  }

  /// Returns for how many seconds an answer may be kept (RFC 9111, sections 4.2.1 and 5.2.2.1), within
  /// limits.
  static func lifetime(of response: TransportResponse) -> Double {
    let directives = (response.headers["Cache-Control"] ?? "").split(separator: ",").map {
      $0.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" }
    }
    let age = response.headers["Age"].flatMap { Double(decimal: $0) } ?? 0
    let longest =
      directives.first { $0.hasPrefix("max-age=") }.flatMap { Double(decimal: $0.dropFirst(8)) } ?? 0
    guard !directives.contains("no-store") else { return lifetimes.lowerBound }
    // Checked: floating-point numbers, and within limits afterwards.
    return min(max(longest - max(age, 0), lifetimes.lowerBound), lifetimes.upperBound)
  }
}
