import TenonFoundation
import TenonJSON

/// A token in the compact serialization of JWS (RFC 7515, section 3.1), taken apart but not verified.
struct CompactToken {
  /// The algorithm (`alg`).
  let algorithm: String
  /// The identifier of the key (`kid`); `nil` if there is none.
  let keyID: String?
  /// The type (`typ`); `nil` if there is none.
  let type: String?
  /// The claims.
  let claims: JSON
  /// What is signed: the header and the payload as they were written.
  let signed: ArraySlice<UInt8>
  /// The signature; empty if there is none.
  let signature: [UInt8]

  /// The greatest length of a token, in bytes. Firebase's have a few thousand.
  static let longest = 32 << 10

  /// Why a text isn't such a token.
  enum Problem: Error {
    case tooLong
    case notThreeParts
    case notBase64URL
    case notJSON
    /// The header has parameters that must be understood (RFC 7515, section 4.1.11).
    case critical
    case noAlgorithm
  }

  /// Takes a token apart. Only the encoding that RFC 7515 prescribes is accepted: no padding, no white space,
  /// no bits that are ignored, and JSON in which no name occurs twice.
  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    // By bytes in an array: going through characters takes as long as all the rest.
    let bytes = Array(text.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .notThreeParts }
    guard let header = Base64URLBytes.decode(parts[0]),
      let payload = Base64URLBytes.decode(parts[1]),
      let signature = Base64URLBytes.decode(parts[2])
    else { throw .notBase64URL }
    guard let header = try? JSON(parsing: Data(header), limit: Self.longest), header.object != nil,
      let claims = try? JSON(parsing: Data(payload), limit: Self.longest), claims.object != nil
    else { throw .notJSON }
    guard header["crit"] == nil else { throw .critical }
    guard let algorithm = header["alg"]?.string else { throw .noAlgorithm }
    self.algorithm = algorithm
    keyID = header["kid"]?.string
    type = header["typ"]?.string
    self.claims = claims
    signed = bytes[..<parts[1].endIndex]
    self.signature = signature
  }
}

/// The URL-safe alphabet of base64 (RFC 4648, section 5), strictly: without padding, and with zeros as the
/// unused bits, so that every sequence of bytes has one encoding only.
enum Base64URLBytes {
  /// Returns the bytes of an encoding; `nil` if the text isn't valid.
  ///
  /// - Complexity: O(*n*).
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var count = 0
    for letter in text {
      // Checked: there are values for all 256 bytes.
      let value = values[Int(clamping: letter)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(clamping: value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(clamping: count)))
      // Checked: at most 7 bits remain.
      bits &= 1 << UInt32(clamping: count) - 1
    }
    // One letter alone has too few bits for a byte.
    return bits == 0 && count < 6 ? bytes : nil
  }

  /// The values of the letters, by their bytes; 64 for all others.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    // Checked: there are values for all 256 bytes.
    for (value, letter) in zip(UInt8(0)..., letters.utf8) { values[Int(clamping: letter)] = value }
    return values
  }()
}
