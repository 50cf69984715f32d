import TenonValues

/// A call of a function.
public struct CallableRequest<Input: Sendable>: Sendable {
  /// The data that the caller sent, decoded.
  public let data: Input
  /// The user on whose behalf the function is called; `nil` if no user is signed in.
  public let auth: RequestAuth?
  /// The app that calls the function, according to its App Check token; `nil` without a valid token.
  public let app: CallableApp?
  /// Whether the caller reads the messages of a ``CallableResponse``, or only the result.
  public let acceptsStreaming: Bool
}

/// The app that calls a function.
public struct CallableApp: Sendable, Hashable {
  /// The app's ID, for example `1:1234567890:web:0a1b2c3d`.
  public let appID: String
  /// Whether an earlier call consumed the same token; always `false` for functions that don't consume tokens.
  public let alreadyConsumed: Bool
}

/// The caller of a function.
struct CallableCaller: Sendable {
  /// The user; `nil` if no user is signed in.
  let auth: RequestAuth?
  /// The app; `nil` without a valid App Check token.
  let app: CallableApp?
  /// Whether the caller reads messages.
  let acceptsStreaming: Bool
}
