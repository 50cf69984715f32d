import TenonFoundation

/// An element of the small XML documents that clients of Cloud Storage's XML API send.
///
/// The reader accepts elements, text, attributes (which it ignores), the references that XML predefines and
/// those to characters, comments, and a declaration. Document types, and with them entities, are refused, as
/// are CDATA sections and processing instructions, which no client sends here.
struct XMLElement: Sendable, Hashable {
  /// The local name, without a prefix of a namespace.
  var name: String
  /// The text directly in the element.
  var text = ""
  /// The elements in it.
  var children: [XMLElement] = []

  /// The greatest depth of elements.
  private static let deepest = 8
  /// The greatest number of elements.
  private static let mostElements = 50_000

  private init(name: String) { self.name = name }

  /// Reads a document.
  ///
  /// - Parameter data: the document in UTF-8.
  /// - Returns: the root element; `nil` if the document isn't well-formed, or has what isn't accepted.
  /// - Complexity: O(*n*).
  init?(parsing data: Data) {
    var rest = ArraySlice(data)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var open: [XMLElement] = []
    var root: XMLElement?
    var count = 0
    while !rest.isEmpty {
      let text = rest.prefix { $0 != UInt8(ascii: "<") }
      rest = rest[text.endIndex...]
      guard let decoded = Self.decoded(text) else { return nil }
      if let last = open.indices.last {
        open[last].text += decoded
      } else if !decoded.allSatisfy(\.isWhitespace) {
        return nil
      }
      if rest.isEmpty { break }
      switch Self.takeTag(&rest) {
      case .skipped?: continue
      case .declaration?: guard root == nil, open.isEmpty, count == 0 else { return nil }
      case .start(let name, let isEmpty)?:
        count += 1
        guard root == nil, open.count < Self.deepest, count <= Self.mostElements else { return nil }
        open.append(XMLElement(name: name))
        if isEmpty { Self.close(&open, &root) }
      case .end(let name)?:
        guard open.last?.name == name else { return nil }
        Self.close(&open, &root)
      case nil: return nil
      }
    }
    guard let root, open.isEmpty else { return nil }
    self = root
  }

  /// Returns the elements in this one that have a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the text of the first element in this one that has a name; `nil` if there is none.
  func value(_ name: String) -> String? { children.first { $0.name == name }?.text }

  /// Ends the innermost element.
  private static func close(_ open: inout [XMLElement], _ root: inout XMLElement?) {
    guard let element = open.popLast() else { return }
    if let last = open.indices.last {
      open[last].children.append(element)
    } else {
      root = element
    }
  }

  /// What is between angle brackets.
  private enum Tag {
    case start(String, isEmpty: Bool)
    case end(String)
    case declaration
    case skipped
  }

  /// Takes a tag, a comment or a declaration, which begins with an angle bracket.
  ///
  /// - Returns: `nil` if it isn't accepted.
  private static func takeTag(_ rest: inout ArraySlice<UInt8>) -> Tag? {
    if rest.starts(with: "<!--".utf8) {
      guard let end = rest.dropFirst(4).firstRange(of: Array("-->".utf8)) else { return nil }
      rest = rest[end.upperBound...]
      return .skipped
    }
    guard let end = endOfTag(rest) else { return nil }
    // Checked: the tag begins with one bracket and ends before the other one.
    let content = rest[rest.index(after: rest.startIndex)..<end]
    rest = rest[rest.index(after: end)...]
    switch content.first {
    case UInt8(ascii: "?")?:
      return content.starts(with: "?xml ".utf8) && content.last == UInt8(ascii: "?") ? .declaration : nil
    case UInt8(ascii: "!")?, nil: return nil
    case UInt8(ascii: "/")?:
      return name(content.dropFirst()).map(Tag.end)
    default:
      let isEmpty = content.last == UInt8(ascii: "/")
      return name(isEmpty ? content.dropLast() : content).map { .start($0, isEmpty: isEmpty) }
    }
  }

  /// Returns the index of the bracket that ends a tag, which isn't one in the value of an attribute.
  private static func endOfTag(_ rest: ArraySlice<UInt8>) -> Int? {
    var quote: UInt8?
    for index in rest.indices.dropFirst() {
      switch (rest[index], quote) {
      case (let byte, let open?): if byte == open { quote = nil }
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = rest[index]
      case (UInt8(ascii: ">"), nil): return index
      case (UInt8(ascii: "<"), nil): return nil
      default: break
      }
    }
    return nil
  }

  /// Returns the local name with which a tag begins; `nil` if it has none.
  private static func name(_ content: ArraySlice<UInt8>) -> String? {
    let whole = content.prefix { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard let name = String(validating: whole, as: UTF8.self)?.split(separator: ":").last, !name.isEmpty,
      name.utf8.allSatisfy({ $0 >= 0x80 || $0.isNameCharacter })
    else { return nil }
    return String(name)
  }

  /// Returns a text without references; `nil` if it isn't UTF-8 or has another reference.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    let parts = text.split(separator: "&", omittingEmptySubsequences: false)
    var result = String(parts.first ?? "")
    for part in parts.dropFirst() {
      guard let end = part.firstIndex(of: ";"), let character = character(part[..<end]) else { return nil }
      result.append(character)
      result += part[part.index(after: end)...]
    }
    return result
  }

  /// Returns the character of a reference; `nil` if there is none.
  private static func character(_ reference: Substring) -> Character? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.hasPrefix("#"), reference.utf8.count <= 9 else { return nil }
    let digits = reference.dropFirst()
    let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    guard let scalar = value.flatMap(Unicode.Scalar.init), scalar != "\u{0}" else { return nil }
    return Character(scalar)
  }
}

extension UInt8 {
  /// Whether an ASCII character can be part of the local name of an element.
  fileprivate var isNameCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
