package import TenonTransportInterop

extension StringProtocol {
  /// Whether the text contains a control character: C0, DEL or C1 (RFC 9110, section 5.5; Unicode's category
  /// Cc).
  ///
  /// Unlike `HTTPHeader.isValid`, this counts tabs, and C1 characters, which are allowed in a field as bytes
  /// outside ASCII. Products use it for texts that users provide, such as the metadata of objects.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package var hasControlCharacters: Bool {
    unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }
}

extension HTTPHeader {
  /// Whether the name is a token (RFC 9110, section 5.6.2) and the value contains no control characters
  /// except tabs (section 5.5).
  ///
  /// A line break in either would end the field and let the author of the text inject another one.
  ///
  /// Bytes outside ASCII are allowed in values, as `obs-text`. White space at the ends of a value isn't
  /// checked: recipients ignore it. An empty value is valid, an empty name isn't.
  ///
  /// - Complexity: O(*n*) in the length of the field.
  package var isValid: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
      && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// Returns whether a byte is allowed in a token: an ASCII letter, a digit or one of ``marks``.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: marks.contains(byte)
    }
  }

  /// The characters other than letters and digits that are allowed in a token (`tchar` in RFC 9110, section
  /// 5.6.2).
  private static let marks = Set("!#$%&'*+-.^_`|~".utf8)
}

extension TransportRequest {
  /// Checks the parts of a request that a transport writes into its head: the method and the header fields.
  /// The URL and the body aren't checked.
  ///
  /// - Throws: `TransportError` with `invalidRequest` if the method isn't a token or a field isn't valid. The
  ///   message names the first such field, by up to 80 characters. It doesn't quote the value, which may be
  ///   secret.
  /// - Complexity: O(*n*) in the length of the fields.
  package func checkFields() throws(TransportError) {
    guard HTTPHeader(name: method.rawValue, value: "").isValid else {
      throw TransportError(.invalidRequest, "The request's method isn't a token (RFC 9110, section 9.1).")
    }
    for field in headers.fields where !field.isValid {
      throw TransportError(
        .invalidRequest,
        "The header field \(field.name.debugDescription.prefix(80)) can't be sent: its name must be a token, and its value "
          + "must have no line breaks and no other control characters."
      )
    }
  }
}
