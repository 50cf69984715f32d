package import TenonFoundation
import TenonJSON

extension ChannelForm {
  /// The limits for a form.
  package struct Limits: Sendable, Hashable {
    /// The maximum size of the body in bytes. Default: 10 MiB. Percent-encoding makes it up to three times
    /// the size of its messages.
    package var bytes: Int
    /// The maximum number of messages. Default: 1,000, as many as Google's clients send.
    package var messages: Int
    /// The maximum number of header fields. Default: 100.
    package var headers: Int

    /// Creates limits.
    package init(bytes: Int = 10 << 20, messages: Int = 1_000, headers: Int = 100) {
      self.bytes = bytes
      self.messages = messages
      self.headers = headers
    }
  }

  /// Creates a form from the body of a request.
  ///
  /// Parts with unknown names are ignored. An empty body has no messages.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/tooLarge``, ``ChannelError/Code/badUnicode``, or
  ///   ``ChannelError/Code/badRequest`` if the number of messages isn't `count` or a part occurs twice.
  /// - Complexity: O(*n*).
  package init(parsing body: Data, limits: Limits = Limits()) throws(ChannelError) {
    guard body.count <= limits.bytes else {
      throw ChannelError(.tooLarge, "The form has more than \(limits.bytes) bytes.")
    }
    var found: [Int: Data] = [:]
    var texts: [String: String] = [:]
    try FormEncoding.forEachPart(of: Array(body)[...]) { name, value throws(ChannelError) in
      if let index = Self.index(of: name) {
        guard index < limits.messages else {
          throw ChannelError(.tooLarge, "The form has more than \(limits.messages) messages.")
        }
        let message = Data(try FormEncoding.string(value).utf8)
        guard found.updateValue(message, forKey: index) == nil else {
          throw ChannelError(.badRequest, "A message occurs twice in the form.")
        }
      } else if name == "count" || name == "ofs" || name == "headers" {
        guard texts.updateValue(try FormEncoding.string(value), forKey: name) == nil else {
          throw ChannelError(.badRequest, "The part \(name) occurs twice in the form.")
        }
      }
    }
    let count = try Self.number(texts, "count", limit: limits.messages)
    first = try Self.number(texts, "ofs", limit: ChannelQuery.largestNumber)
    messages = []
    while let message = found[messages.count] { messages.append(message) }
    guard messages.count == count, found.count == count else {
      throw ChannelError(.badRequest, "The number of messages in the form isn't the one that it states.")
    }
    headers = try Self.headers(of: texts["headers"] ?? "", limit: limits.headers)
  }

  /// Returns the number of a part; 0 if it is missing.
  private static func number(
    _ texts: [String: String], _ name: String, limit: Int
  ) throws(ChannelError) -> Int {
    guard let text = texts[name] else { return 0 }
    guard let number = Int(decimal: text), number >= 0, number <= limit else {
      throw ChannelError(.badRequest, "The part \(name) of the form isn't a number in its range.")
    }
    return number
  }

  /// Returns N for the name `reqN___data__`; `nil` for other names.
  private static func index(of name: String) -> Int? {
    guard name.hasPrefix("req"), name.hasSuffix("___data__") else { return nil }
    let digits = name.dropFirst(3).dropLast(9)
    guard digits.utf8.count <= 9, let index = Int(decimal: digits), index >= 0 else { return nil }
    return index
  }

  /// Returns the header fields in lines of the form `Name:Value`.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badRequest`` for a line without a colon, an invalid
  ///   name, a control character, or too many lines.
  package static func headers(of text: String, limit: Int = 100) throws(ChannelError) -> [Header] {
    var headers: [Header] = []
    for line in text.utf8.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      let pair = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, headers.count < limit else {
        throw ChannelError(
          .badRequest, "The form has too many header fields, or one that isn't written as name:value.")
      }
      let value = String(decoding: pair[1], as: UTF8.self)
      let header = Header(
        String(decoding: pair[0], as: UTF8.self),
        String(decoding: value.utf8.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self))
      guard header.isValid else {
        throw ChannelError(.badRequest, "A header field in the form has an invalid name or value.")
      }
      headers.append(header)
    }
    return headers
  }

  /// The body of a request.
  package var encoded: Data {
    var text: [UInt8] = []
    if !headers.isEmpty {
      text.append(contentsOf: "headers=".utf8)
      for header in headers {
        FormEncoding.append("\(header.name):\(header.value)\r\n".utf8, to: &text)
      }
      text.append(UInt8(ascii: "&"))
    }
    text.append(contentsOf: "count=\(messages.count)&ofs=\(first)".utf8)
    for (index, message) in messages.enumerated() {
      text.append(contentsOf: "&req\(index)___data__=".utf8)
      FormEncoding.append(message, to: &text)
    }
    return Data(text)
  }
}

extension ChannelForm.Header {
  /// Whether the name is a token of RFC 9110 (section 5.6.2) and the value has no control characters, so that
  /// the line can't be taken for several.
  var isValid: Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      } && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
