/// A list of header fields, in order. Names are case-insensitive (RFC 9110, section 5.1).
///
/// `TenonTransport` adds look-up by name. An interop module contains values only and no algorithms.
public struct HTTPHeaders: Sendable, Hashable {
  /// The fields, in order. A name may occur several times.
  public var fields: [HTTPHeader]

  /// Creates a list of fields, which is empty by default.
  public init(_ fields: [HTTPHeader] = []) { self.fields = fields }
}

/// A header field (RFC 9110, section 5).
public struct HTTPHeader: Sendable, Hashable {
  /// The name, for example `Content-Type`.
  public var name: String
  /// The value, without leading and trailing white space.
  public var value: String

  /// Creates a field.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
