import Foundation
import TenonStoreEngine

/// A file with the key of an encrypted database, which a user names.
struct KeyFile {
  let path: String

  /// The number of bytes that are read. A key and white space around it have fewer.
  private static let limit = 1024
  /// The number of bytes of a key.
  private static let size = 32

  /// Reads the key. The file may also be a pipe.
  ///
  /// - Throws: ``CommandError`` if the file can't be read or has no key. The error contains nothing of the
  ///   file.
  func key() throws -> EncryptionKey {
    let bytes = try read()
    guard let key = Self.key(in: bytes), let result = try? EncryptionKey(key) else {
      let found =
        bytes.count > Self.limit ? "more than \(Self.limit) bytes" : StoreText.count(bytes.count, "byte")
      throw CommandError(
        "\(path) has \(found), and no key: a key is a file of 32 bytes, or text with 64 hexadecimal digits or the Base64 form of 32 bytes."
      )
    }
    return result
  }

  private func read() throws -> Data {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError("There is no file \(path). --key-file names the file with the key of the database.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      var bytes = Data()
      // A pipe returns less than what was requested.
      while bytes.count <= Self.limit,
        let part = try handle.read(upToCount: Self.limit + 1 - bytes.count), !part.isEmpty
      { bytes += part }
      return bytes
    } catch { throw CommandError("\(path) can't be read: \(error.localizedDescription)") }
  }

  /// Returns the key that the bytes of a file are or contain as text; `nil` if there is none.
  static func key(in bytes: Data) -> Data? {
    if bytes.count == size { return bytes }
    guard bytes.count <= limit, let text = String(data: bytes, encoding: .utf8) else { return nil }
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if word.utf8.count == 2 * size { return hexadecimal(word) }
    let base64 = word.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
    guard let key = Data(base64Encoded: base64 + padding), key.count == size else { return nil }
    return key
  }

  private static func hexadecimal(_ word: String) -> Data? {
    let digits = word.compactMap(\.hexDigitValue)
    guard digits.count == 2 * size else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
  }
}
