import TenonCore
import TenonTransport
import TenonTransportInterop

extension AppCheckError {
  /// Creates the error of an exchange that the server rejected.
  ///
  /// - Parameters:
  ///   - response: the answer, whose status selects the code, except for an invalid API key.
  ///   - secrets: texts to remove from the server's message.
  init(_ response: TransportResponse, hiding secrets: [String]) {
    let body = try? JSON(parsing: response.hiding(secrets).body)["error"]
    let sentence = body?["message"]?.string ?? ""
    let said = sentence.isEmpty ? "" : " The server says: \(sentence)"
    if sentence.contains("API key") {
      self.init(
        .invalidConfiguration,
        "The App Check server rejected the API key. Compare AppOptions.apiKey with the project's settings.\(said)"
      )
      return
    }
    switch response.status {
    case 400, 404:
      self.init(
        .invalidConfiguration,
        "The App Check server doesn't know the app, or the form of its debug token. Compare AppOptions.projectID and "
          + "AppOptions.appID with the project's settings.\(said)"
      )
    case 401, 403:
      self.init(
        .attestationRejected,
        "The App Check server rejected the debug token. Register it in the Firebase console: App Check, Apps, Manage "
          + "debug tokens.\(said)"
      )
    case 429:
      self.init(
        .tooManyAttempts,
        "The App Check server received too many requests. Wait before the next attempt.\(said)")
    case 500...:
      self.init(
        .serverFailed,
        "The App Check server failed with status \(response.status). Try again later.\(said)"
      )
    default:
      self.init(.unknown, "The App Check server answered with status \(response.status).\(said)")
    }
  }

  /// Creates the error of an exchange that received no complete answer. The message of a timeout names the
  /// limit that has passed.
  init(_ error: TransportError) {
    let limit = error.limitSentence(of: "AppCheck", exchange: "AppCheck.timeoutInterval")
    self.init(
      .serverUnreachable, "The request for an App Check token failed: \(error.message)\(limit)",
      underlying: error)
  }
}
