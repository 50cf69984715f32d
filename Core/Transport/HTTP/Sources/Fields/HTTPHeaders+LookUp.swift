public import TenonTransportInterop

/// Look-up by name.
///
/// Names are compared without regard to the case of ASCII letters (RFC 9110, section 5.1). Fields are kept as
/// a list, because a name may occur several times and the order of equal names matters (section 5.3); every
/// look-up takes linear time.
///
/// ```swift
/// var headers = HTTPHeaders()
/// headers["Accept"] = "text/plain"
/// headers.add("accept", "text/html")
/// headers.values(of: "ACCEPT")  // → ["text/plain", "text/html"]
/// ```
extension HTTPHeaders {
  /// The value of the first field with a name; `nil` if there is none.
  ///
  /// Setting a value replaces all fields of that name by one field, at the position of the first, or appends
  /// it if there is none. Setting `nil` removes all fields of that name.
  ///
  /// - Parameter name: the name of the field, in any case.
  /// - Complexity: O(*n*) in the number of fields.
  public subscript(name: String) -> String? {
    get { fields.first { $0.isNamed(name) }?.value }
    set {
      guard let newValue else { return fields.removeAll { $0.isNamed(name) } }
      set(name, to: newValue)
    }
  }

  /// Returns the values of all fields with a name, in order.
  ///
  /// - Parameter name: the name of the fields, in any case.
  /// - Returns: the values; an empty array if there is no such field. They aren't split at commas: whether a
  ///   comma separates elements depends on the field (RFC 9110, section 5.6.1).
  /// - Complexity: O(*n*) in the number of fields.
  public func values(of name: String) -> [String] {
    fields.filter { $0.isNamed(name) }.map(\.value)
  }

  /// Appends a field. Existing fields of the same name are kept.
  ///
  /// - Parameters:
  ///   - name: the name. It must be a token (RFC 9110, section 5.6.2); transports reject other names.
  ///   - value: the value. Transports reject values with line breaks.
  /// - Complexity: amortized O(1).
  public mutating func add(_ name: String, _ value: String) {
    fields.append(HTTPHeader(name: name, value: value))
  }

  /// Replaces all fields with a name by one field, at the position of the first, or appends it if there is
  /// none.
  ///
  /// - Parameters:
  ///   - name: the name, in any case. The first field keeps its spelling of the name.
  ///   - value: the new value.
  /// - Complexity: O(*n*) in the number of fields.
  public mutating func set(_ name: String, to value: String) {
    guard let first = fields.firstIndex(where: { $0.isNamed(name) }) else { return add(name, value) }
    fields[first].value = value
    fields[(first + 1)...].removeAll { $0.isNamed(name) }
  }
}

extension HTTPHeader {
  /// Returns whether the field has a name, compared without regard to the case of ASCII letters. Other
  /// characters, which names can't contain, are compared exactly.
  ///
  /// - Parameter other: the name.
  func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { Self.lowercase($0) == Self.lowercase($1) }
  }

  /// Returns an upper-case ASCII letter in lower case, and any other byte unchanged.
  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
