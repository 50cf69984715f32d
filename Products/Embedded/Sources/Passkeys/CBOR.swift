/// A value of CBOR (RFC 8949), in which authenticators describe keys. Only what WebAuthn uses is read: items
/// of a definite length, without tags and floating-point numbers.
enum CBOR: Sendable, Hashable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([CBOR: CBOR])
  /// `true`, `false`, `null` and other simple values, by their number.
  case simple(UInt8)

  /// How deeply arrays and maps may be nested. CTAP2 allows 4.
  private static let deepest = 8

  /// Reads one value.
  ///
  /// - Parameters:
  ///   - bytes: the bytes from which its bytes are removed.
  ///   - depth: how many arrays and maps contain it.
  /// - Returns: `nil` if the bytes don't begin with a value.
  /// - Complexity: O(*n*) in its size.
  init?(from bytes: inout ArraySlice<UInt8>, depth: Int = 0) {
    guard depth <= Self.deepest, let first = bytes.popFirst(),
      let argument = Self.argument(first & 0x1F, &bytes)
    else { return nil }
    switch first >> 5 {
    case 0:
      guard let number = Int64(exactly: argument) else { return nil }
      self = .integer(number)
    case 1:
      guard let number = Int64(exactly: argument) else { return nil }
      // Checked: -1 - number can't overflow for a number that isn't negative.
      self = .integer(-1 - number)
    case 2:
      guard let content = Self.takeFirst(argument, &bytes) else { return nil }
      self = .bytes(content)
    case 3:
      guard let content = Self.takeFirst(argument, &bytes) else { return nil }
      self = .text(String(decoding: content, as: UTF8.self))
    case 4:
      guard argument <= bytes.count else { return nil }
      var items: [CBOR] = []
      // Checked: the argument has no sign.
      for _ in 0..<argument {
        guard let item = CBOR(from: &bytes, depth: depth + 1) else { return nil }
        items.append(item)
      }
      self = .array(items)
    case 5:
      guard argument <= bytes.count else { return nil }
      var members: [CBOR: CBOR] = [:]
      // Checked: the argument has no sign.
      for _ in 0..<argument {
        guard let key = CBOR(from: &bytes, depth: depth + 1),
          let value = CBOR(from: &bytes, depth: depth + 1),
          members.updateValue(value, forKey: key) == nil
        else { return nil }
      }
      self = .map(members)
    case 7 where first & 0x1F <= 24:
      self = .simple(UInt8(truncatingIfNeeded: argument))
    default: return nil
    }
  }

  /// Reads one value of which all bytes consist.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let value = CBOR(from: &rest), rest.isEmpty else { return nil }
    self = value
  }

  /// The member of a map.
  subscript(key: CBOR) -> CBOR? {
    guard case .map(let members) = self else { return nil }
    return members[key]
  }

  /// The bytes of a byte string.
  var byteString: [UInt8]? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }

  /// Returns the argument of an item: its value, or its length.
  private static func argument(_ short: UInt8, _ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    let size: UInt64
    switch short {
    // Checked: a byte.
    case ..<24: return UInt64(short)
    case 24: size = 1
    case 25: size = 2
    case 26: size = 4
    case 27: size = 8
    // Reserved, or an indefinite length.
    default: return nil
    }
    // Checked: bytes.
    return takeFirst(size, &bytes)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Removes and returns the first bytes; `nil` if there are fewer.
  private static func takeFirst(_ count: UInt64, _ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard count <= bytes.count else { return nil }
    let count = Int(clamping: count)
    // Checked: the count has no sign, and isn't greater than that of the bytes.
    defer { bytes = bytes.dropFirst(count) }
    // Checked: the count has no sign.
    return Array(bytes.prefix(count))
  }
}
