import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The JSON object of an error of Identity Toolkit and Secure Token, for example
/// `{"error": {"message": "WEAK_PASSWORD : Password should be at least 6 characters"}}`, or of Google's API
/// infrastructure, which adds a status and `ErrorInfo` (https://google.aip.dev/193).
struct ServerError: Decodable {
  /// The member `error`: a message, which begins with the code, and the reasons.
  struct Body: Decodable {
    var message: String?
    var status: String?
    /// Objects with reasons of Google's API infrastructure, for example `keyInvalid`.
    var errors: JSON?
    /// Objects with reasons of Google's API infrastructure, for example `API_KEY_INVALID`.
    var details: JSON?
  }

  var error: Body

  /// The code: the text before the first colon of the message.
  var code: String { parts.code }

  /// The code, and the text after the colon; `nil` if there is none.
  private var parts: (code: String, detail: String?) {
    let halves = (error.message ?? "").split(separator: ":", maxSplits: 1).map { String($0).trimmed }
    return (halves.first ?? "", halves.count == 2 ? halves[1] : nil)
  }

  /// The reasons of the infrastructure.
  private var reasons: [String] {
    [error.details, error.errors].flatMap { $0?.array ?? [] }.compactMap { $0["reason"]?.string }
  }

  /// Returns the error for the caller.
  ///
  /// - Parameters:
  ///   - status: the HTTP status code, which determines the kind of an unknown error.
  ///   - email: the email address to name in the message.
  func authError(status: Int, email: String?) -> AuthError {
    let (code, detail) = parts
    var error =
      if code == "BLOCKING_FUNCTION_ERROR_RESPONSE" {
        AuthError(blocked: detail.map { Self.withoutTokens($0, of: code) })
      } else if let known = ServerCode.all[code] {
        AuthError(known, about: email, serverSays: detail.map { Self.withoutTokens($0, of: code) })
      } else if let appCheckRefusal {
        appCheckRefusal
      } else if let known = infrastructureCode {
        AuthError(known, about: email, serverSays: Self.withoutTokens(self.error.message ?? "", of: code))
      } else {
        AuthError(status: status, message: Self.withoutTokens(self.error.message ?? "", of: code))
      }
    if !code.isEmpty { error.serverCode = code }
    return error
  }

  /// The error that the infrastructure reports by a reason, by a status, or only in a sentence.
  private var infrastructureCode: ServerCode? {
    for reason in reasons + [error.status].compactMap(\.self) {
      if let known = ServerCode.infrastructure[reason] { return known }
    }
    if (error.message ?? "").contains("API key") { return ServerCode.infrastructure["API_KEY_INVALID"] }
    return nil
  }

  /// The codes whose text quotes the rejected token, which may be JSON.
  private static let quotingTokens: Set<String> = [
    "INVALID_IDP_RESPONSE", "INVALID_CUSTOM_TOKEN", "INVALID_CREDENTIAL_OR_PROVIDER_ID",
  ]
  /// The length, in characters, above which a word of such a text counts as a token.
  private static let longestWord = 40

  /// Returns the server's text with `•••` in place of the tokens in it: every JWT, and what the texts of some
  /// codes quote. What the request contained has been removed before. Long words remain, because URLs and
  /// the texts of functions have them.
  private static func withoutTokens(_ text: String, of code: String) -> String {
    let text = text.replacing(/eyJ[-_A-Za-z0-9+\/\\=]+(?:\.[-_A-Za-z0-9+\/\\=]*)*/, with: "•••")
    guard quotingTokens.contains(code) else { return text }
    let plain = text.prefix { $0 != "{" } + (text.contains("{") ? "•••" : "")
    return plain.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.count > longestWord ? "•••" : String($0) }
      .joined(separator: " ")
  }
}

extension AuthError {
  /// Creates the error of a known code.
  ///
  /// - Parameters:
  ///   - known: the kind and the sentence.
  ///   - email: the email address to name.
  ///   - detail: the server's explanation, without secrets.
  fileprivate init(_ known: ServerCode, about email: String?, serverSays detail: String?) {
    let sentence = known.sentence(about: email)
    let says = detail.map { $0.isEmpty ? "" : " The server says: \($0)" } ?? ""
    self.init(known.code, sentence + says)
  }

  /// Creates the error of a response that is no answer of Identity Toolkit, for example of a gateway.
  ///
  /// - Parameters:
  ///   - status: the HTTP status code.
  ///   - message: the server's explanation, without secrets; `nil` if there is none.
  init(status: Int, message: String?) {
    let detail = message.map { $0.isEmpty ? "" : " and an unknown error: \($0)" } ?? ""
    switch status {
    case 429:
      self.init(
        .tooManyRequests,
        "There were too many requests. Wait before the next one. The server answered with status 429\(detail)"
      )
    case 500...599:
      self.init(
        .networkError,
        "The server for accounts failed. Try again later. It answered with status \(status)\(detail)")
    default:
      self.init(.internalError, "The server answered with status \(status)\(detail)")
    }
  }
}
