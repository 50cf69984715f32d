public import TenonCore

/// A provider that calls a closure, which usually sends a request to a server of the app's developers. That
/// server attests the app by its own means, and creates the token with Firebase's Admin SDK.
///
/// ```swift
/// try App.configure(sources: [
///   CustomAppCheckProvider { limitedUse in
///     let answer = try await backend.attest(limitedUse: limitedUse)
///     return AppCheckToken(token: answer.token, expirationDate: .now + answer.lifetime)
///   }
/// ])
/// ```
public struct CustomAppCheckProvider: AppCheckProvider, ComponentSource {
  private let exchange: @Sendable (_ limitedUse: Bool) async throws -> AppCheckToken

  /// Creates a provider.
  ///
  /// - Parameter exchange: returns a new token; `limitedUse` is `true` if it is for one request only. It may
  ///   be called on any thread, concurrently.
  public init(_ exchange: @escaping @Sendable (_ limitedUse: Bool) async throws -> AppCheckToken) {
    self.exchange = exchange
  }

  /// Calls the closure.
  public func getToken() async throws -> AppCheckToken { try await exchange(false) }

  /// Calls the closure for a token for one request.
  public func getLimitedUseToken() async throws -> AppCheckToken { try await exchange(true) }

  /// The component that makes this the app's provider.
  @ComponentBuilder public var components: [AnyComponent] {
    let provider = self
    Component((any AppCheckProvider).self) { _ in provider }
  }
}
