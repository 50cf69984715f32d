import TenonFoundation
import TenonTransport

extension Route {
  /// The host of Cloud Storage's APIs.
  private static let storageHost = "storage.googleapis.com"

  /// Determines the bucket and the object of a URL of Cloud Storage's XML API: `/BUCKET/OBJECT`, or with the
  /// bucket in the name of the host. On a local host, these are the paths that belong to no other service, so
  /// that a path which begins like one of another service is that service's.
  ///
  /// - Parameter url: the URL of the request. The path of the route is the bucket and the name of the object,
  ///   if there is one, with its slashes.
  /// - Returns: `nil` if the URL has no bucket, or belongs to another of Google's hosts.
  init?(xml url: URL) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    let host = components.host ?? ""
    var path = components.percentEncodedPath[...]
    path = path.hasPrefix("/") ? path.dropFirst() : path
    if path.hasPrefix("\(Self.storageHost)/") {
      path = path.dropFirst("\(Self.storageHost)/".count)
    } else if host.hasSuffix(".\(Self.storageHost)") {
      path = "\(host.dropLast(Self.storageHost.count + 1))/\(path)"
    } else if host != Self.storageHost {
      guard !host.hasSuffix(".googleapis.com"), !host.hasSuffix(".cloudfunctions.net") else { return nil }
    }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bucket = parts.first.flatMap({ PercentEncoding.decode($0) }), !bucket.isEmpty,
      !Self.isServicePath(bucket),
      let name = parts.count == 2 ? PercentEncoding.decode(parts[1]) : ""
    else { return nil }
    service = .xmlObjects
    self.path = name.isEmpty ? [bucket] : [bucket, name]
    encodedPath = components.percentEncodedPath
    encodedQuery = components.percentEncodedQuery ?? ""
    query = FormFields(encodedQuery).values
    origin = host.hasSuffix(Self.storageHost) ? nil : Self.origin(of: components)
  }

  /// Returns whether a path begins like those of Google's other services: with a version, a host, or the name
  /// of a service of gRPC. A bucket has none of these names.
  private static func isServicePath(_ first: String) -> Bool {
    let isVersion = first.hasPrefix("v") && first.dropFirst().first?.isNumber == true && first.utf8.count < 10
    return isVersion || first.hasSuffix(".googleapis.com") || first.hasPrefix("google.")
  }
}
