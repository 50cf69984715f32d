extension AuthError.Code {
  /// The server requires an App Check token, and the request had no valid one.
  public static let appCheckTokenInvalid = AuthError.Code(rawValue: "firebase-app-check-token-is-invalid")
}

extension ServerError {
  /// The error for the caller if the server rejected the request because it has no valid App Check token; otherwise `nil`.
  /// The server reports this in a sentence and not by a code.
  var appCheckRefusal: AuthError? {
    guard (error.message ?? "").contains("App Check token is invalid") else { return nil }
    return AuthError(
      .appCheckTokenInvalid,
      "The project enforces App Check, and the request had no valid token. Link TenonAppCheck and give the app a "
        + "provider."
    )
  }
}
