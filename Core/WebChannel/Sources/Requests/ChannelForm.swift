package import TenonFoundation

/// The body of a handshake or a forward POST: `headers=…&count=2&ofs=5&req0___data__=…&req1___data__=…`.
package struct ChannelForm: Sendable, Hashable {
  /// A header field that the client sends in the body, because a browser would ask for permission to send it
  /// as one.
  package struct Header: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    package var name: String
    /// The value, which may be a credential.
    package var value: String

    /// Creates a header field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// The name, without the value.
    package var description: String { name }
  }

  /// The header fields; only in a handshake.
  package var headers: [Header]
  /// The number of the first message (`ofs`).
  package var first: MessageNumber
  /// The JSON texts of the messages, in order.
  package var messages: [Data]

  /// Creates a form.
  package init(headers: [Header] = [], first: MessageNumber = 0, messages: [Data]) {
    self.headers = headers
    self.first = first
    self.messages = messages
  }
}
