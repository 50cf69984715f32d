package import TenonValues

extension DatabaseName {
  /// Returns the path of a URL for a document, a collection or the root: the full name, in which all
  /// characters of IDs but letters, digits, `-._~` and parentheses are percent-encoded (RFC 3986, section
  /// 2.1). The custom methods of the API (`:commit`) follow a colon, so a colon in an ID must be encoded.
  ///
  /// - Parameter path: the path; by default the root.
  /// - Returns: the path without a slash at its beginning, for example
  ///   `projects/P/databases/(default)/documents/rooms/a%2Fb`.
  package func urlPath(of path: ResourcePath = ResourcePath(segments: [])) -> String {
    (["projects", project, "databases", database, "documents"] + path.segments)
      .map(Self.percentEncoded).joined(separator: "/")
  }

  /// Creates the name and the path from the path of a URL, the inverse of ``urlPath(of:)``.
  ///
  /// - Parameter urlPath: the path below the version of the API, percent-encoded, with or without a slash at
  ///   its beginning.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if it isn't the name of a root or of a
  ///   resource below one, or a part is empty, contains an encoded slash, or isn't UTF-8.
  /// - Complexity: O(*n*) in the length of the text.
  package static func parse(urlPath text: String) throws(DocumentError) -> (DatabaseName, ResourcePath) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var segments: [String] = []
    for part in parts.first?.isEmpty ?? false ? parts.dropFirst() : parts[...] {
      guard let segment = percentDecoded(part), !segment.isEmpty, !segment.utf8.contains(UInt8(ascii: "/"))
      else {
        throw DocumentError(.damaged, "The URL has a part that isn't an ID.")
      }
      segments.append(segment)
    }
    guard segments.count >= 5, segments[0] == "projects", segments[2] == "databases",
      segments[4] == "documents"
    else {
      throw DocumentError(
        .damaged, "The URL doesn't name a resource below projects/PROJECT/databases/DATABASE/documents.")
    }
    return (
      DatabaseName(project: segments[1], database: segments[3]),
      ResourcePath(segments: Array(segments.dropFirst(5)))
    )
  }

  /// Returns text for a part of a URL's path, or for the value of a parameter in its query.
  ///
  /// - Parameter text: any text. All bytes but those of letters, digits, `-._~` and parentheses are encoded.
  package static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(truncatingIfNeeded: byte >> 4)]]
        encoded.append(digits[Int(truncatingIfNeeded: byte & 15)])
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Returns the text of a percent-encoded part of a URL; `nil` if an escape is incomplete, or the bytes
  /// aren't UTF-8.
  private static func percentDecoded(_ part: Substring.UTF8View) -> String? {
    var decoded: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal)
      else {
        return nil
      }
      decoded.append(high << 4 | low)
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Returns the value of a hexadecimal digit; `nil` for other bytes.
  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Whether a byte of text needs no escape.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "("), UInt8(ascii: ")"):
      true
    default: false
    }
  }
}
