public import TenonFoundation
import TenonTransport
import TenonTransportInterop

extension StorageReference {
  /// Returns a URL with which anyone can download the object, until its token is revoked. Such URLs don't
  /// expire, and security rules don't apply to them.
  ///
  /// On the embedded backend, the URL begins with `tenon-embedded://`, which no browser and no `URLSession`
  /// loads: the object is in this process. Load it with ``Storage/reference(for:)`` and
  /// ``data(maxSize:)``, or with the app's `TransportInterop`. A client that uses the backend over HTTP
  /// receives a URL of the server.
  ///
  /// - Returns: the URL, with the first of the object's download tokens.
  /// - Throws: ``StorageError``, with ``StorageError/Code/objectNotFound`` if there is no such object, and
  ///   with ``StorageError/Code/unknown`` if the object has no download token.
  public func downloadURL() async throws -> URL {
    try checkObject()
    let answer = try await storage.client.json(.get, self, repeatable: true)
    try StorageMetadata.check(answer, describes: self)
    return try downloadURL(answer)
  }

  /// Gives the object another download token. URLs with its other tokens remain valid.
  ///
  /// The server permits this to administrators only, as ``revokeDownloadToken(_:)``.
  ///
  /// - Returns: the metadata of the object, with all its ``StorageMetadata/downloadTokens``.
  /// - Throws: ``StorageError``, with ``StorageError/Code/unauthorized`` if the caller isn't an
  ///   administrator, and with ``StorageError/Code/objectNotFound`` if there is no such object.
  @discardableResult
  public func createDownloadToken() async throws -> StorageMetadata {
    try await changeTokens("create_token", "true")
  }

  /// Revokes a download token: URLs that contain it no longer work. If it was the object's only one, the
  /// server creates another.
  ///
  /// The server permits this to administrators only. A user's ID token isn't enough, whatever the security
  /// rules are: in production, revoke tokens in the Firebase console, or delete the object and upload it
  /// again. The call is meant for programs that send the credentials of an administrator, such as tests with
  /// the emulator's `Bearer owner` (see `TransportInterop`).
  ///
  /// - Parameter token: one of ``StorageMetadata/downloadTokens``, or the parameter `token` of a download
  ///   URL.
  /// - Returns: the metadata of the object, with its remaining tokens.
  /// - Throws: ``StorageError``, with ``StorageError/Code/unauthorized`` if the caller isn't an
  ///   administrator, and with ``StorageError/Code/objectNotFound`` if there is no such object.
  @discardableResult
  public func revokeDownloadToken(_ token: String) async throws -> StorageMetadata {
    try await changeTokens("delete_token", token)
  }

  /// Changes the download tokens. Creating one twice does no harm, but the request is sent once: a second
  /// token, whose response was lost, could be revoked only by listing the tokens.
  private func changeTokens(_ name: String, _ value: String) async throws -> StorageMetadata {
    try checkObject()
    let url = try url([(name, value)])
    let response = try await storage.client.send(TransportRequest(.post, url), self, repeatable: false)
    return try StorageMetadata(StorageClient.json(response, self), of: self)
  }

  /// Returns the URL with the first token in the metadata.
  private func downloadURL(_ metadata: JSON) throws(StorageError) -> URL {
    guard let token = metadata["downloadTokens"]?.string?.split(separator: ",").first else {
      throw StorageError(
        .unknown,
        "\(self) has no download token. Create one in the Firebase console, or upload the object with a Firebase SDK."
      )
    }
    let query = "alt=media&token=\(PercentEncoding.queryValue(String(token)))"
    return try storage.client.downloadURL(of: self, query: query)
  }

  /// Returns the URL of the object with a query.
  private func url(_ query: [(String, String)]) throws(StorageError) -> URL {
    let items = query.map { "\($0)=\(PercentEncoding.queryValue($1))" }.joined(separator: "&")
    guard let url = URL(string: "\(try storage.client.url(of: self, .object).absoluteString)?\(items)") else {
      throw StorageError(.pathError, "\(self) can't be part of a URL.")
    }
    return url
  }
}
