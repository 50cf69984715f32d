public import TenonTransportInterop

/// Look-up by name. Names are compared without regard to case (RFC 9110, section 5.1); every look-up takes linear time.
extension HTTPHeaders {
  /// The value of the first field with a name; `nil` if there is none.
  ///
  /// Setting a value replaces every field of that name with one field, in the place of the first. Setting `nil` removes
  /// them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.isNamed(name) }?.value }
    set {
      guard let newValue else { return fields.removeAll { $0.isNamed(name) } }
      set(name, to: newValue)
    }
  }

  /// Returns the values of all fields with a name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.isNamed(name) }.map(\.value)
  }

  /// Appends a field and keeps others with the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(HTTPField(name: name, value: value))
  }

  /// Replaces every field with a name by one field, in the place of the first; appends it if there is none.
  public mutating func set(_ name: String, to value: String) {
    guard let first = fields.firstIndex(where: { $0.isNamed(name) }) else { return add(name, value) }
    fields[first].value = value
    fields[(first + 1)...].removeAll { $0.isNamed(name) }
  }
}

extension HTTPField {
  /// Whether the field has a name, compared without regard to the case of ASCII letters.
  func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { Self.lowercase($0) == Self.lowercase($1) }
  }

  /// Returns the lower-case form of an ASCII letter, and any other byte unchanged.
  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
