public import TenonFoundation
import TenonJSON

/// What proves to Google that a server may act for a project, for ``Admin/credential``. Its description and a
/// dump show who it is for Google, and no key and no token.
///
/// ```swift
/// admin.credential = try AdminCredential(contentsOfFile: "/run/secrets/firebase.json")
/// ```
public struct AdminCredential: Sendable, CustomStringConvertible, CustomReflectable {
  /// Where access tokens come from.
  enum Source: Sendable {
    case applicationDefault
    case serviceAccount(ServiceAccount)
    case authorizedUser(AuthorizedUser)
    case workloadIdentity(WorkloadIdentity)
    case metadataServer
  }

  let source: Source

  init(_ source: Source) { self.source = source }

  /// The credential of the environment (https://google.aip.dev/auth/4110): that of the file which
  /// `GOOGLE_APPLICATION_CREDENTIALS` names, or else of the file that `gcloud auth application-default login`
  /// has written, or else of the metadata server on Google Cloud. It is looked for when it is first needed.
  public static let applicationDefault = AdminCredential(.applicationDefault)

  /// The service account of the machine or service on Google Cloud on which the server runs. The variable
  /// `GCE_METADATA_HOST` names another metadata server.
  public static let metadataServer = AdminCredential(.metadataServer)

  /// Returns the credential of a service account.
  public static func serviceAccount(_ account: ServiceAccount) -> AdminCredential {
    AdminCredential(.serviceAccount(account))
  }

  /// Reads the file of a service account, of a user who has signed in with `gcloud`, or of workload identity
  /// federation.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` if the file can't be read or isn't one,
  ///   and with ``AdminError/Code/cryptographyUnavailable``.
  public init(contentsOfFile path: String) throws {
    try self.init(json: CredentialFile.content(of: path), from: path)
  }

  /// Reads the JSON text of such a file, for example from a vault.
  ///
  /// - Parameter json: the content of the file.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` or
  ///   ``AdminError/Code/cryptographyUnavailable``.
  public init(json: Data) throws { try self.init(json: json, from: "in this text") }

  private init(json: Data, from place: String) throws {
    // The parser's error may quote a key.
    guard json.count <= CredentialFile.largest, let file = try? JSON(parsing: json), file.object != nil else {
      throw CredentialFile.problem("The credential \(place) isn't a JSON object")
    }
    switch file["type"]?.string {
    case "authorized_user": source = .authorizedUser(try AuthorizedUser(file, from: place))
    case "external_account": source = .workloadIdentity(try WorkloadIdentity(file, from: place))
    case "service_account", nil: source = .serviceAccount(try ServiceAccount(json: json, from: place))
    case let other?:
      throw CredentialFile.problem("The credential \(place) is of the type \(other), which isn't supported")
    }
  }

  /// Who the credential is.
  public var description: String {
    switch source {
    case .applicationDefault: "the credential of the environment"
    case .serviceAccount(let account): "the service account \(account)"
    case .authorizedUser(let user): "\(user)"
    case .workloadIdentity(let identity): "\(identity)"
    case .metadataServer: "the service account of the metadata server"
    }
  }

  /// Who the credential is.
  public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

/// Reading files of credentials.
enum CredentialFile {
  /// The greatest size of a file, in bytes. Google's have two thousand.
  static let largest = 64 << 10

  /// Returns the content of a file.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  static func content(of path: String) throws(AdminError) -> Data {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      if attributes[.type] as? FileAttributeType == .typeRegular, attributes[.size] as? Int ?? .max <= largest
      {
        return try Data(contentsOf: URL(fileURLWithPath: path))
      }
    } catch {
      throw AdminError(
        .invalidCredential,
        "The credential \(path) can't be read: \(error.systemReason). Check the path and the permissions.")
    }
    throw AdminError(
      .invalidCredential, "\(path) isn't the file of a credential. Name one that Google's console created.")
  }

  /// Creates the error of a file that can't be used.
  static func problem(_ reason: String) -> AdminError {
    AdminError(
      .invalidCredential,
      "\(reason). Use the file of a service account, of \"gcloud auth application-default login\", or of workload identity."
    )
  }

  /// Returns the URL of a service to which a credential is sent. It must be encrypted; on this machine, a test
  /// may listen.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  static func url(_ text: String, named name: String, from place: String) throws(AdminError) -> URL {
    guard let url = URL(string: text), url.host()?.isEmpty == false, url.scheme == "https" || isLoopback(url)
    else {
      throw AdminError(
        .invalidCredential, "The \(name) of the credential \(place) isn't an https URL. Correct it.")
    }
    return url
  }

  static func isLoopback(_ url: URL) -> Bool {
    url.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(url.host() ?? "")
  }
}
