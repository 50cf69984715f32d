package import TenonFoundation
package import TenonValues

/// Members of messages. Those without a value are omitted, as in the JSON mapping of protobuf.
extension WireWriter {
  /// Appends a message as a member.
  package mutating func member(_ name: StaticString, _ message: some WireEncodable) throws(DocumentError) {
    self.name(name)
    try message.write(to: &self)
  }

  /// Appends messages as an array; nothing if there are none.
  package mutating func member(_ name: StaticString, _ messages: [some WireEncodable]) throws(DocumentError) {
    guard !messages.isEmpty else { return }
    self.name(name)
    try beginArray()
    for message in messages { try message.write(to: &self) }
    endArray()
  }

  /// Appends a `google.firestore.v1.DocumentMask`.
  package mutating func mask(_ fields: [FieldPath]) throws(DocumentError) {
    try beginObject()
    if !fields.isEmpty {
      name("fieldPaths")
      try beginArray()
      for field in fields { self.field(field) }
      endArray()
    }
    endObject()
  }

  /// Appends bytes, such as a token; nothing if they are `nil` or empty.
  package mutating func member(_ name: StaticString, _ data: Data?) {
    guard let data, !data.isEmpty else { return }
    self.name(name)
    self.data(data)
  }

  /// Appends a timestamp; nothing for `nil`.
  package mutating func member(_ name: StaticString, _ timestamp: Timestamp?) throws(DocumentError) {
    guard let timestamp else { return }
    self.name(name)
    try self.timestamp(timestamp)
  }

  /// Appends text; nothing if it is `nil` or empty.
  package mutating func member(_ name: StaticString, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    self.name(name)
    string(text)
  }

  /// Appends a 32-bit integer; nothing for `nil`.
  package mutating func member(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    self.name(name)
    self.number(number)
  }

  /// Appends 32-bit integers, such as the IDs of targets; nothing if there are none.
  package mutating func member(_ name: StaticString, _ numbers: [Int]) throws(DocumentError) {
    guard !numbers.isEmpty else { return }
    self.name(name)
    try beginArray()
    for number in numbers { self.number(number) }
    endArray()
  }

  /// Appends `true`; nothing for `false`, the default of proto3.
  package mutating func member(_ name: StaticString, ifTrue flag: Bool) {
    guard flag else { return }
    self.name(name)
    boolean(true)
  }

  /// Appends a full name.
  package mutating func member(_ name: StaticString, _ path: ResourcePath) {
    self.name(name)
    self.path(path)
  }
}
