extension AuthError.Code {
  /// The server wants an App Check token, and the request had none that it accepts.
  public static let appCheckTokenInvalid = AuthError.Code(rawValue: "firebase-app-check-token-is-invalid")
}

extension ServerError {
  /// The error for the caller, if the server refuses the request for want of an App Check token. It says so in a
  /// sentence, not by a code.
  var appCheckRefusal: AuthError? {
    guard (error.message ?? "").contains("App Check token is invalid") else { return nil }
    return AuthError(
      .appCheckTokenInvalid,
      "The project enforces App Check, and the request carried no valid token. Link TenonAppCheck and give the app a "
        + "provider."
    )
  }
}
