import TenonFoundation
import TenonJSON

extension AuthError {
  /// What a blocking function of the project answered when it rejected a user (`HttpsError` in the function).
  public struct FunctionResponse: Sendable, CustomStringConvertible {
    /// The status, for example `PERMISSION_DENIED`; empty if the function gave none.
    public let status: String
    /// The text that the function wrote for the user.
    public let message: String
    /// What the function added as details, as plain Swift values (`String`, `Int`, `[String: any Sendable]`,
    /// …); `nil` if it added nothing.
    public let details: (any Sendable)?

    /// The status and the message.
    public var description: String { status.isEmpty ? message : "\(message) (\(status))" }
  }

  /// The function's answer, which the server quotes.
  private struct Quoted: Decodable {
    struct Body: Decodable {
      var status: String?
      var message: String?
      var details: JSON?
    }

    var error: Body
  }

  /// Creates the error of a sign-in that a blocking function rejected.
  ///
  /// - Parameter detail: the server's text, which quotes the function's answer as JSON:
  ///   `((HTTP request to … returned HTTP error 403: {"error": …}))`.
  init(blocked detail: String?) {
    let sentence = "A blocking function of the project rejected the user"
    guard let response = detail.flatMap({ Self.response(in: $0) }) else {
      let reason = detail.flatMap { $0.isEmpty ? nil : ": \($0)" }
      self.init(.blockingCloudFunctionError, sentence + (reason ?? ". Read the function's log."))
      return
    }
    self.init(.blockingCloudFunctionError, "\(sentence): \(response)")
    functionResponse = response
  }

  /// Returns the answer that a text quotes; `nil` if it quotes none.
  private static func response(in text: String) -> FunctionResponse? {
    guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end,
      // Checked: the bounds are compared.
      let quoted = try? JSON.decode(Quoted.self, from: Data(text[start...end].utf8)).error,
      quoted.message != nil || quoted.status != nil
    else { return nil }
    return FunctionResponse(
      status: quoted.status ?? "", message: quoted.message ?? "",
      details: quoted.details.flatMap { $0 == .null ? nil : $0.plainValue })
  }
}
