package import IntegrationReport
package import TenonCore
import TenonEmbedded
import TenonFunctions

/// What Functions does on the embedded backend, tried out in the same way in every combination of products.
package enum FunctionsFeatures {
  /// The caller, as a function of the backend sees it.
  private struct Caller: Codable {
    var user: String?
    var app: String?
    /// Whether an earlier call used the same App Check token.
    var isRepeated: Bool
  }

  /// Calls functions in an app, and returns what they received.
  ///
  /// - Parameter session: signs users in; `nil` without Auth.
  package static func tried(in app: App, session: UserSession? = nil) async throws -> IntegrationReport {
    let embedded = try Embedded.embedded(app: app)
    for (name, consumes) in [("whoCalls", false), ("whoCallsOnce", true)] {
      embedded.onCall(name, consumesAppCheckToken: consumes) { (request: CallableRequest<Bool>) in
        Caller(
          user: request.auth?.uid, app: request.app?.appID, isRepeated: request.app?.alreadyConsumed ?? false)
      }
    }
    let functions = try Functions.functions(app: app)
    let call = functions.httpsCallable("whoCalls", requestAs: Bool.self, responseAs: Caller.self)

    let anonymous = tokens(of: try await call(true), user: nil, in: app)
    var (signedIn, signedOut) = (UserSession.missing, UserSession.missing)
    if let session {
      let user = try await session.signIn()
      signedIn = tokens(of: try await call(true), user: user, in: app)
      try await session.signOut()
      signedOut = tokens(of: try await call(true), user: nil, in: app)
    }

    let once = functions.httpsCallable(
      "whoCallsOnce", options: HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true),
      requestAs: Bool.self, responseAs: Caller.self)
    let calls = [try await once(true), try await once(true)]
    let limited =
      calls.contains { $0.app == nil }
      ? "no effect: App Check isn't linked"
      : calls.contains(where: \.isRepeated) ? "the same token in two calls" : "a new token in each call"

    embedded.onCall("count") { (request: CallableRequest<Int>, response: CallableResponse<Int>) in
      for number in 0..<max(0, request.data) { try await response.sendChunk(number) }
      return "done"
    }
    let count = functions.httpsCallable(
      "count", requestAs: Int.self, responseAs: StreamResponse<Int, String>.self)
    let streamed = try await received(from: count.stream(3))

    embedded.settings.appCheckRequired = [.auth, .functions]
    var enforced = "accepted"
    do { _ = try await call(true) } catch let error as FunctionsError {
      enforced = "rejected (`\(error.code.rawValue)`)"
    }
    return IntegrationReport(
      graph: app.graph,
      features: [
        .init("Call without a user", anonymous), .init("Call of a signed-in user", signedIn),
        .init("Call after signing out", signedOut), .init("Limited-use App Check tokens", limited),
        .init("Streaming call", streamed), .init("Where App Check is enforced", enforced),
      ])
  }

  /// Returns what a stream delivered, in its order.
  private static func received(
    from stream: CallableStream<StreamResponse<Int, String>>
  ) async throws -> String {
    var elements: [String] = []
    for try await element in stream {
      switch element {
      case .message(let number): elements.append("\(number)")
      case .result(let text): elements.append("“\(text)”")
      }
    }
    return "delivers " + elements.joined(separator: ", ")
  }

  /// Returns which tokens a call carried.
  private static func tokens(of caller: Caller, user: String?, in app: App) -> String {
    guard caller.user == user else { return "carries the token of another user" }
    let tokens = [caller.user.map { _ in "the user's token" }, caller.app.map { _ in "the app's token" }]
    return "carries "
      + (tokens.contains { $0 != nil } ? tokens.compactMap(\.self).joined(separator: " and ") : "no token")
  }
}
