package import TenonBasics

extension JSON {
  /// The maximum number of nested arrays and objects.
  ///
  /// Values are parsed, decoded, encoded and compared recursively, on stacks that may have only 512 KiB. A
  /// Firestore document with its 20 levels of maps has about 65 levels as JSON; Google's servers accept 100.
  package static let deepestNesting = 128

  /// The maximum size of a text in bytes if the caller sets no smaller one: 32 MiB, the maximum size of a
  /// response of Cloud Functions.
  package static let largestText = 32 << 20

  /// Creates a value from JSON text (RFC 8259).
  ///
  /// Numbers whose value is an integer of 64 bits become `int` or `unsigned`. Those with a fraction or an
  /// exponent, such as `1.0` or `1e3`, become `int` if they fit into `Int64`. All other numbers, and negative
  /// zero, become `double`.
  ///
  /// - Parameters:
  ///   - text: the text, in UTF-8 with or without a byte order mark.
  ///   - limit: the maximum size of the text in bytes.
  ///   - replacesLoneSurrogates: whether an escape that is half of a surrogate pair becomes U+FFFD instead of
  ///     being an error; `false` by default. JavaScript writes such escapes for half an emoji, and reads them.
  /// - Throws: ``JSONError``, also if several members of an object have one name. Names are compared as Swift
  ///   compares strings, so that canonically equivalent ones are equal.
  /// - Complexity: O(*n*) time and space. Nothing is read of a text that exceeds the limit.
  package init(
    parsing text: Data, limit: Int = largestText, replacesLoneSurrogates: Bool = false
  ) throws(JSONError) {
    var reader = try JSONReader(text, limit: limit)
    reader.replacesLoneSurrogates = replacesLoneSurrogates
    try self.init(reading: &reader)
    try reader.finish()
  }

  /// Creates a value from the next value of a text, recursively. The reader limits the depth.
  ///
  /// - Parameter reader: the reader, which is then behind the value. After an error, it must not be used.
  /// - Throws: ``JSONError``, with ``JSONError/Code/duplicateName`` if several members of an object have one
  ///   name. The position is then behind the second such member.
  private init(reading reader: inout JSONReader) throws(JSONError) {
    switch try reader.value() {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .unsigned(let value): self = .unsigned(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array:
      var elements: [JSON] = []
      while try reader.hasElement() { elements.append(try JSON(reading: &reader)) }
      self = .array(elements)
    case .object:
      var members: [String: JSON] = [:]
      while let name = try reader.name() {
        guard members.updateValue(try JSON(reading: &reader), forKey: name) == nil else {
          throw reader.duplicateName()
        }
      }
      self = .object(members)
    }
  }
}
