public import TenonCore

/// A provider that asks a closure, which mostly asks a server of the app's makers: that server attests the app in its
/// own way, and lets Firebase's Admin SDK make the token.
///
/// ```swift
/// try App.configure(sources: [
///   CustomAppCheckProvider { limitedUse in
///     let answer = try await backend.attest(limitedUse: limitedUse)
///     return AppCheckToken(answer.token, expires: .now + answer.lifetime)
///   }
/// ])
/// ```
public struct CustomAppCheckProvider: AppCheckProvider, ComponentSource {
  private let exchange: @Sendable (_ limitedUse: Bool) async throws -> AppCheckToken

  /// Creates a provider.
  ///
  /// - Parameter exchange: gives a new token; `limitedUse` says whether it is for one request.
  public init(_ exchange: @escaping @Sendable (_ limitedUse: Bool) async throws -> AppCheckToken) {
    self.exchange = exchange
  }

  /// Asks the closure.
  public func token() async throws -> AppCheckToken { try await exchange(false) }

  /// Asks the closure for a token for one request.
  public func limitedUseToken() async throws -> AppCheckToken { try await exchange(true) }

  /// The provider as the app's.
  @ComponentBuilder public var components: [AnyComponent] {
    let provider = self
    Component((any AppCheckProvider).self) { _ in provider }
  }
}
