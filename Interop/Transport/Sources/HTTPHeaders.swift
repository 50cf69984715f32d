/// Header fields in the order they were added. Names are compared without regard to case (RFC 9110, section 5.1).
///
/// The look-up by name belongs to `TenonTransport`: an interop module holds values and runs nothing.
public struct HTTPHeaders: Sendable, Hashable {
  /// The fields, in order; a name may occur several times.
  public var fields: [HTTPField]

  /// Creates a list of fields, empty by default.
  public init(_ fields: [HTTPField] = []) { self.fields = fields }
}

/// One header field.
public struct HTTPField: Sendable, Hashable {
  /// The name, for example `Content-Type`.
  public var name: String
  /// The value, without surrounding white space.
  public var value: String

  /// Creates a field.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
