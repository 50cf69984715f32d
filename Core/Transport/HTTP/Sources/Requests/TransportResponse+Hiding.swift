import TenonFoundation
package import TenonTransportInterop

extension TransportResponse {
  /// Returns the response with `•••` in the body in place of each secret. Servers and proxies may quote a
  /// request in their explanation of an error, which products show in theirs.
  ///
  /// Secrets of fewer than four bytes are kept: a text without them would be illegible. A secret that the
  /// server has encoded in another way, for example with percent signs, isn't recognized.
  ///
  /// - Parameter secrets: the secrets, in any order.
  /// - Complexity: O(*n* · *m*) in the length of the body and the number of secrets.
  package func hiding(_ secrets: [String]) -> TransportResponse {
    var response = self
    // A secret may contain another one.
    for secret in secrets.map({ Data($0.utf8) }).sorted(by: { $0.count > $1.count }) where secret.count >= 4 {
      var clean = Data()
      var rest = response.body[...]
      while let range = rest.firstOccurrence(of: secret) {
        clean += rest[..<range.lowerBound]
        clean += "•••".utf8
        rest = rest[range.upperBound...]
      }
      if !clean.isEmpty { response.body = clean + rest }
    }
    return response
  }
}

extension TransportRequest {
  /// The values of the fields that carry credentials: `Authorization` and `X-Serverless-Authorization` with and
  /// without their schemes, the token
  /// of App Check, and the API key.
  package var credentials: [String] {
    let authorization =
      headers.values(of: "Authorization") + headers.values(of: "X-Serverless-Authorization")
    return authorization + authorization.compactMap { $0.split(separator: " ").last.map(String.init) }
      + headers.values(of: "X-Firebase-AppCheck") + headers.values(of: "X-Goog-Api-Key")
  }
}
