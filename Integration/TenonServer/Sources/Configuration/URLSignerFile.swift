import ArgumentParser
import TenonFoundation

/// A service account and the file of its public key, as in `--url-signer ADDRESS=FILE`.
struct URLSignerFile: ExpressibleByArgument, Sendable {
  let account: String
  let path: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[0].contains("@") else { return nil }
    (account, path) = (parts[0], parts[1])
  }

  /// The greatest size of the file in bytes.
  private static let largest = 64 << 10

  /// Returns the key in PEM.
  ///
  /// - Throws: `ValidationError` if the file can't be read or has no public key.
  func key() throws -> String {
    guard let content = try? Data(contentsOf: URL(filePath: path)), content.count <= Self.largest,
      let text = String(validating: content, as: UTF8.self), text.contains("-----BEGIN PUBLIC KEY-----")
    else {
      throw ValidationError(
        "\(path) isn't the public key of \(account). Write it with: openssl pkey -in KEY -pubout -out FILE")
    }
    return text
  }
}
