import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The service to which a request is routed, and the part of its path that the service interprets.
struct Route: Sendable, Hashable {
  /// A service.
  enum Service: Sendable, Hashable {
    /// Identity Toolkit: accounts.
    case accounts
    /// Secure Token: ID tokens for refresh tokens.
    case tokens
    /// The additional paths of the Auth emulator: pending codes, links to open, and the project's
    /// configuration.
    case accountEmulator
    /// A function in a region. The path begins with its name.
    case functions(region: String)
    /// App Check.
    case appCheck
    /// Cloud Storage: version 0 of `firebasestorage`, or version 1 of the JSON API.
    case objects
    /// Cloud Storage: the XML API. The path is the bucket and the name of the object.
    case xmlObjects
    /// Cloud Firestore: version 1 of the REST API.
    case documents
    /// Cloud Firestore's administration: databases, indexes, fields and operations.
    case administration
    /// The additional paths of Firestore's emulator.
    case documentEmulator
    /// The rules of a service, in the emulators.
    case rules(RulesService)
    /// A stream of Cloud Firestore over WebChannel.
    case channel(ChannelService.Method)

    /// The name of the service in metrics and spans.
    var name: String {
      switch self {
      case .accounts: "accounts"
      case .tokens: "tokens"
      case .accountEmulator: "account-emulator"
      case .functions: "functions"
      case .appCheck: "app-check"
      case .objects, .xmlObjects: "objects"
      case .documents: "documents"
      case .administration: "administration"
      case .documentEmulator: "document-emulator"
      case .rules: "rules"
      case .channel: "channel"
      }
    }
  }

  /// The service.
  let service: Service
  /// The percent-decoded segments of the path. An object's name is one segment, including its slashes.
  let path: [String]
  /// The items of the query. If a name occurs several times, the last one counts. Empty for documents, whose
  /// items may have several values, and for channels: they interpret ``encodedQuery``.
  let query: [String: String]
  /// The path of the URL, percent-encoded. In the URL of a document, a plain colon begins a method, and an
  /// encoded one is part of an ID.
  let encodedPath: String
  /// The query of the URL, percent-encoded.
  let encodedQuery: String
  /// The origin at which the backend is reached, for example `http://127.0.0.1:9099`; `nil` for production's
  /// hosts.
  let origin: URL?

  /// Determines the service by the host of a production URL, or by the first segments of the path of an
  /// emulator's or loopback URL.
  ///
  /// - Parameters:
  ///   - url: the URL of the request.
  ///   - projectID: the ID of the project, which is part of the URLs of functions.
  /// - Returns: `nil` if the URL belongs to no service of the project.
  init?(_ url: URL, projectID: String) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    encodedPath = components.percentEncodedPath
    encodedQuery = components.percentEncodedQuery ?? ""
    var path = encodedPath.split(separator: "/").map {
      PercentEncoding.decode($0) ?? String($0)
    }
    var host = components.host ?? ""
    origin = Self.googleHosts.contains(host) ? nil : Self.origin(of: components)
    if let first = path.first, Self.googleHosts.contains(first) {
      host = first
      path.removeFirst()
    }
    let functionHost = "-\(projectID).cloudfunctions.net"
    switch host {
    case _ where path.starts(with: ["emulator", "v1", "projects"]) && path.dropFirst(4).first == "databases":
      service = .documentEmulator
    case _
    where path.count == 4 && path.starts(with: ["emulator", "v1", "projects"])
      && path[3].hasSuffix(":securityRules"):
      service = .rules(.documents(project: String(path[3].dropLast(":securityRules".count))))
    case _ where path == ["internal", "setRules"]: service = .rules(.objects)
    case _ where path.count == 3 && path[0] == "google.firestore.v1.Firestore" && path[2] == "channel":
      guard let method = ChannelService.Method(rawValue: path[1]) else { return nil }
      service = .channel(method)
    case _ where Self.isDocumentPath(path):
      service = Self.isAdministrationPath(path) ? .administration : .documents
    case _ where path.first == "emulator", _ where path.isEmpty && Self.loopbackHosts.contains(host):
      service = .accountEmulator
    case "identitytoolkit.googleapis.com":
      service = .accounts
    case "securetoken.googleapis.com":
      service = .tokens
    case "firebaseappcheck.googleapis.com", "content-firebaseappcheck.googleapis.com":
      service = .appCheck
    case "storage.googleapis.com",
      "www.googleapis.com" where Self.isJSONPath(path):
      guard Self.isJSONPath(path) else { return nil }
      service = .objects
    case "www.googleapis.com":
      guard path.starts(with: ["identitytoolkit", "v3", "relyingparty"]) else { return nil }
      path.removeFirst()
      service = .accounts
    case "firebasestorage.googleapis.com":
      service = .objects
    case _ where host.hasSuffix(functionHost):
      service = .functions(region: String(host.dropLast(functionHost.count)))
    case _ where path.starts(with: ["v0", "b"]), _ where Self.isJSONPath(path):
      service = .objects
    case _ where path.count >= 3 && path[0] == projectID:
      service = .functions(region: path[1])
      path.removeFirst(2)
    default:
      return nil
    }
    self.path = path
    query =
      switch service {
      case .documents, .documentEmulator, .channel, .administration: [:]
      // Clients of Cloud Storage encode spaces as plus signs.
      case .objects: FormFields(encodedQuery).values
      default: (components.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value ?? "" }
      }
  }

  /// The ID of the project in the URL of a document; `nil` if there is none.
  var project: String? { path.drop { $0 != "projects" }.dropFirst().first }

  /// Whether the URL has a secret that can be a credential: the ID of an upload, or a download token of an
  /// object. Whether it is valid isn't known yet.
  var namesSecret: Bool {
    switch service {
    case .objects: query["upload_id"] != nil || (query["token"] != nil && query["alt"] == "media")
    case .xmlObjects: query["upload_id"] != nil
    default: false
    }
  }

  /// Returns whether a path belongs to Firestore's REST API: `v1/projects/P/databases/D/documents`, with a
  /// custom method or a path.
  private static func isDocumentPath(_ path: [String]) -> Bool {
    path.starts(with: ["v1", "projects"]) && path.dropFirst(3).first == "databases"
  }

  /// Returns whether a path of Firestore's REST API is about databases or what defines them, rather than
  /// about documents.
  private static func isAdministrationPath(_ path: [String]) -> Bool {
    // An empty ID of a database isn't among the segments.
    !path.dropFirst(4).prefix(2).contains { $0 == "documents" || $0.hasPrefix("documents:") }
  }

  /// Returns whether a path belongs to Cloud Storage's JSON API: `storage/v1`, for uploads
  /// `upload/storage/v1`, for downloads `download/storage/v1`, for batches `batch/storage/v1`.
  private static func isJSONPath(_ path: [String]) -> Bool {
    let path = ["upload", "download", "batch"].contains(path.first) ? path.dropFirst() : path[...]
    return path.starts(with: ["storage", "v1"])
  }

  /// Returns the scheme, host and port of a URL.
  static func origin(of components: URLComponents) -> URL? {
    var origin = URLComponents()
    origin.scheme = components.scheme
    origin.encodedHost = components.encodedHost
    origin.port = components.port
    return origin.url
  }

  /// The hosts of emulators, whose root path is that of the Auth emulator.
  private static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

  /// The hosts of Google's services. They may also be the first segment of the path, as in the URLs of
  /// emulators.
  private static let googleHosts: Set<String> = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com",
    "firebasestorage.googleapis.com", "storage.googleapis.com", "firebaseappcheck.googleapis.com",
    "content-firebaseappcheck.googleapis.com", "firestore.googleapis.com",
  ]
}
