import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The server of Google Cloud from which a machine gets tokens of its service account
/// (https://cloud.google.com/compute/docs/access/authenticate-workloads).
struct MetadataServer: Sendable {
  /// Whether there is such a server; otherwise, it is only tried.
  let isExpected: Bool
  let client: HTTPClient
  /// The host and the port.
  private let host: String

  private static let account = "instance/service-accounts/default/"
  private static let largestAnswer = 64 << 10

  /// - Parameters:
  ///   - isExpected: whether there is such a server.
  ///   - environment: the variables of the process.
  ///   - client: sends the requests.
  init(isExpected: Bool, environment: [String: String], client: HTTPClient) {
    self.isExpected = isExpected
    self.client = client
    host = environment["GCE_METADATA_HOST"].flatMap { $0.isEmpty ? nil : $0 } ?? "metadata.google.internal"
  }

  /// Returns an access token of the service account.
  func accessToken() async throws -> AccessToken {
    let scopes = FormText(["scopes": AccessToken.scopes.joined(separator: ",")])
    let content = try await content(of: "\(Self.account)token?\(scopes.text)")
    guard let token = AccessToken(oauth: try? JSON(parsing: content)) else {
      throw TokenExchange.noToken("The access token of the metadata server")
    }
    return token
  }

  /// Returns an identity token of the service account for a service
  /// (https://cloud.google.com/compute/docs/instances/verifying-instance-identity).
  ///
  /// - Parameter audience: the URL of the service.
  func identityToken(for audience: String) async throws -> String {
    let query = FormText(["audience": audience, "format": "full"])
    let content = try await content(of: "\(Self.account)identity?\(query.text)")
    return String(decoding: content, as: UTF8.self).trimmed
  }

  /// Returns the address of the service account.
  func email() async throws -> String {
    let text = String(decoding: try await content(of: "\(Self.account)email"), as: UTF8.self).trimmed
    guard text.contains("@"), !text.contains(where: { $0.isWhitespace || $0 == "/" }) else {
      throw AdminError(
        .invalidCredential, "The machine has no service account. Give it one, or set Admin.credential.")
    }
    return text
  }

  /// Returns what the server has at a path.
  private func content(of path: String) async throws -> Data {
    guard let url = URL(string: "http://\(host)/computeMetadata/v1/\(path)"), url.host()?.isEmpty == false
    else {
      throw AdminError(.invalidCredential, "GCE_METADATA_HOST isn't \"host:port\". Correct it.")
    }
    var request = TransportRequest(
      .get, url, headers: HTTPHeaders([HTTPHeader(name: "Metadata-Flavor", value: "Google")]))
    request.deadline = isExpected ? .seconds(15) : .seconds(3)
    request.limits.bodyBytes = Self.largestAnswer
    request.limits.redirects = 0
    let response: TransportResponse
    do { response = try await client.send(request, repeatable: isExpected) } catch let error as TransportError
    {
      throw isExpected
        ? AdminError(
          .networkError, "The metadata server can't be reached: \(error.message)", underlying: error)
        : Self.noCredential(error)
    }
    // Another server, for example one that shows a page for every name that doesn't exist, has no such field.
    guard response.headers["Metadata-Flavor"] == "Google" else {
      throw isExpected
        ? AdminError(
          .invalidCredential, "\(host) isn't a metadata server of Google Cloud. Check GCE_METADATA_HOST.")
        : Self.noCredential(nil)
    }
    guard response.isSuccess else {
      let isTemporary = response.status == 429 || response.status >= 500
      throw AdminError(
        isTemporary ? .networkError : .invalidCredential,
        isTemporary
          ? "The metadata server answered with status \(response.status). Try again later."
          : "The metadata server answered with status \(response.status). Give the machine a service account with the scope cloud-platform."
      )
    }
    return response.body
  }

  /// The error where no credential was found.
  static func noCredential(_ underlying: (any Error)?) -> AdminError {
    AdminError(
      .invalidCredential,
      "There is no credential. Set Admin.credential, name a file in \(CredentialInUse.variable), run \"gcloud auth application-default login\", or run on Google Cloud.",
      underlying: underlying)
  }
}
