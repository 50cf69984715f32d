import TenonFoundation
import TenonTransport

/// The bucket and the path that a URL identifies.
struct StorageLocation: Sendable, Hashable {
  /// The scheme and the host of the download URLs of the embedded backend.
  static let embeddedOrigin = "\(embeddedScheme)://storage"
  private static let embeddedScheme = "tenon-embedded"

  /// The bucket's name.
  let bucket: String
  /// The path in the bucket; empty for the root.
  let path: String

  /// Parses `gs://bucket/path`; an `http` or `https` URL of the form `…/v0/b/BUCKET/o/PATH`, whatever its
  /// host, such as a download URL of production or of an emulator; a download URL of the embedded backend; or
  /// `https://storage.googleapis.com/BUCKET/PATH`, Cloud Storage's own form.
  ///
  /// The path of a `gs` URL is used as it is; that of an `http` or `https` URL is percent-decoded, and its
  /// slashes may be encoded or not. The query and the fragment of the latter are ignored.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if the URL has none of these forms.
  init(_ url: String) throws(StorageError) {
    if let match = url.wholeMatch(of: /gs:\/\/([^\/]+)(?:\/(.*))?/.dotMatchesNewlines()) {
      bucket = String(match.1)
      path = match.2.map(String.init) ?? ""
      return
    }
    guard let (bucket, path) = Self.parts(ofWebURL: url), !bucket.isEmpty else {
      throw StorageError(
        .invalidArgument,
        "\(url.prefix(200).debugDescription) isn't the URL of an object. Write it as gs://bucket/path, or use a download URL."
      )
    }
    self.bucket = bucket
    self.path = path
  }

  /// The hosts whose URLs begin with the bucket.
  private static let bucketFirst: Set = ["storage.googleapis.com", "storage.cloud.google.com"]

  /// Returns the bucket and the path of an `http` or `https` URL; `nil` if it has another form.
  private static func parts(ofWebURL url: String) -> (bucket: String, path: String)? {
    guard let components = URLComponents(string: url), let host = components.host?.lowercased(),
      !host.isEmpty,
      let scheme = components.scheme?.lowercased(), ["https", "http", embeddedScheme].contains(scheme)
    else { return nil }
    let path = components.percentEncodedPath
    // `/v0/b/BUCKET/o/PATH`: the path is all of the rest.
    let service = path.split(separator: "/", maxSplits: 4)
    if service.count >= 4, service[0] == "v0", service[1] == "b",
      // Without a path, a slash may follow.
      service[3] == "o", let bucket = PercentEncoding.decode(service[2]),
      let path = PercentEncoding.decode(service.count == 5 ? service[4] : "")
    {
      return (bucket, path)
    }
    let parts = path.split(separator: "/").map { PercentEncoding.decode($0) }
    guard bucketFirst.contains(host), parts.first != "v0", let bucket = parts.first.flatMap({ $0 }) else {
      return nil
    }
    // Slashes of the object's name may be encoded or not.
    let name = path.split(separator: "/", maxSplits: 1).dropFirst().first ?? ""
    return PercentEncoding.decode(name).map { (bucket, $0) }
  }
}
