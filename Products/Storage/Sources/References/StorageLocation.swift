import TenonTransport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bucket and the path that a URL identifies.
struct StorageLocation: Sendable, Hashable {
  /// The bucket's name.
  let bucket: String
  /// The path in the bucket; empty for the root.
  let path: String

  /// Parses `gs://bucket/path`, or an `http` or `https` URL of the form `…/v0/b/BUCKET/o/PATH`, whatever its host.
  ///
  /// The path of a `gs` URL is used as it is; that of an `http` or `https` URL is percent-decoded. The query of the latter is
  /// ignored.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if the URL has neither form.
  init(_ url: String) throws(StorageError) {
    if let match = url.wholeMatch(of: /gs:\/\/([^\/]+)(?:\/(.*))?/.dotMatchesNewlines()) {
      bucket = String(match.1)
      path = match.2.map(String.init) ?? ""
      return
    }
    let components = URLComponents(string: url)
    let parts = (components?.percentEncodedPath ?? "").split(separator: "/").map {
      PercentEncoding.decode($0)
    }
    let scheme = components?.scheme?.lowercased()
    guard scheme == "https" || scheme == "http", parts.count == 4 || parts.count == 5, parts[0] == "v0",
      parts[1] == "b", parts[3] == "o", let bucket = parts[2], let path = parts.count == 5 ? parts[4] : ""
    else {
      throw StorageError(
        .invalidArgument,
        "\"\(url.prefix(200))\" is not the URL of an object. Write it as gs://bucket/path, or use a download URL."
      )
    }
    self.bucket = bucket
    self.path = path
  }
}
