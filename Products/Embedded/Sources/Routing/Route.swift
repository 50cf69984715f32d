import Foundation
import TenonTransportInterop

/// Where a request wants to go: a service, and what its path says behind that.
struct Route: Sendable, Hashable {
  enum Service: Sendable, Hashable {
    /// Identity Toolkit.
    case accounts
    /// Secure Token.
    case tokens
    /// What the Auth emulator offers beside the services: pending codes, links to open, its project's configuration.
    case accountEmulator
    /// A callable function, in a region.
    case functions(region: String)
    /// App Check.
    case appCheck
    /// Storage, version 0 of `firebasestorage`.
    case objects
  }

  let service: Service
  /// The decoded segments of the path; an object's name is one of them, slashes included.
  let path: [String]
  let query: [String: String]
  /// Where the backend is reached, for example `http://127.0.0.1:9099`; `nil` for production's own hosts.
  let origin: URL?

  /// Finds the service by the host (production) or by the path's first segments (emulators, loopback).
  ///
  /// - Returns: `nil` when the URL belongs to none of the services of this project.
  init?(_ url: URL, projectID: String) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    var path = components.percentEncodedPath.split(separator: "/").map {
      $0.removingPercentEncoding ?? String($0)
    }
    var host = components.host ?? ""
    origin = Self.googleHosts.contains(host) ? nil : Self.origin(of: components)
    if let first = path.first, Self.googleHosts.contains(first) {
      host = first
      path.removeFirst()
    }
    let functionHost = "-\(projectID).cloudfunctions.net"
    switch host {
    case _ where path.first == "emulator", _ where path.isEmpty && Self.loopbackHosts.contains(host):
      service = .accountEmulator
    case "identitytoolkit.googleapis.com":
      service = .accounts
    case "securetoken.googleapis.com":
      service = .tokens
    case "firebaseappcheck.googleapis.com", "content-firebaseappcheck.googleapis.com":
      service = .appCheck
    case "www.googleapis.com":
      guard path.starts(with: ["identitytoolkit", "v3", "relyingparty"]) else { return nil }
      path.removeFirst()
      service = .accounts
    case "firebasestorage.googleapis.com":
      service = .objects
    case _ where host.hasSuffix(functionHost):
      service = .functions(region: String(host.dropLast(functionHost.count)))
    case _ where path.starts(with: ["v0", "b"]):
      service = .objects
    case _ where path.count == 3 && path[0] == projectID:
      service = .functions(region: path[1])
      path.removeFirst(2)
    default:
      return nil
    }
    self.path = path
    query = (components.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value ?? "" }
  }

  private static func origin(of components: URLComponents) -> URL? {
    var origin = URLComponents()
    origin.scheme = components.scheme
    origin.encodedHost = components.encodedHost
    origin.port = components.port
    return origin.url
  }

  private static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

  private static let googleHosts: Set<String> = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com",
    "firebasestorage.googleapis.com", "firebaseappcheck.googleapis.com",
    "content-firebaseappcheck.googleapis.com",
  ]
}
