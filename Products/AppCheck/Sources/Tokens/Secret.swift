/// Text that must not show up in descriptions, logs and errors.
struct Secret: Sendable, Hashable {
  let value: String

  init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "•••" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Codable {
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
