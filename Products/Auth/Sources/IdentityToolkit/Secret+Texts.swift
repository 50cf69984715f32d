import TenonFoundation
import TenonTransport

extension Secret {
  /// Returns the texts of all secrets in a request, which a server might quote: its properties of this type,
  /// also those of its objects, and the values of those that are a form (`postBody`).
  ///
  /// - Parameter request: the body of a request, whose secrets are separate properties.
  static func texts(in request: some Any) -> [String] {
    Mirror(reflecting: request).children.flatMap { child -> [String] in
      guard let secret = child.value as? Secret ?? (child.value as? Secret?).flatMap({ $0 }) else {
        return child.value is any Encodable ? texts(in: child.value) : []
      }
      let form = URLComponents(string: "?\(secret.value)")?.queryItems ?? []
      let parts = form.compactMap { secrets.contains($0.name) ? $0.value : nil }
      // A server may quote the form as it was sent.
      let encoded = parts.map { PercentEncoding.queryValue($0) }
      return [secret.value] + parts + encoded + ([secret.value] + parts).map(Self.escaped)
    }
  }

  /// Returns a text as it is written in JSON, which a server may quote.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("/", with: "\\/")
  }

  /// The fields of a form that are secret (``ProviderProof/form(for:)``).
  private static let secrets: Set<String> = ["id_token", "access_token", "nonce", "oauth_token_secret"]
}
