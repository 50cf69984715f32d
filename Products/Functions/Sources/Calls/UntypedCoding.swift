import TenonCallable
import TenonFoundation
import TenonTransport

/// Converts between untyped Swift values and JSON, for calls whose types aren't declared.
enum UntypedCoding {
  /// Encodes a value in the form of the callable protocol.
  ///
  /// - Parameters:
  ///   - value: `nil`, `NSNull`, an `Encodable` value, or an array or a string-keyed dictionary of these.
  ///   - function: the function's name, for error messages.
  /// - Throws: ``FunctionsError/Code/invalidArgument``, with the path of a value that has no JSON form, or if
  ///   the value is nested more than `JSON.deepestNesting` levels deep.
  static func json(_ value: Any?, function: String) throws(FunctionsError) -> JSON {
    try json(value, at: "data", depth: 0, function: function)
  }

  /// Encodes a part of a value.
  ///
  /// - Parameters:
  ///   - value: the part.
  ///   - path: its path, for error messages, for example `data.items[2]`.
  ///   - depth: the number of enclosing arrays, dictionaries and optionals.
  ///   - function: the function's name.
  private static func json(
    _ value: Any?, at path: String, depth: Int, function: String
  ) throws(FunctionsError) -> JSON {
    guard let value, !FoundationObjects.isNull(value) else { return .null }
    guard depth <= JSON.deepestNesting else {
      throw FunctionsError(
        .invalidArgument,
        "The data for \(function) is nested more than \(JSON.deepestNesting) levels deep. Send a flatter value."
      )
    }
    if let optional = value as? any OptionalType {
      return try json(optional.wrapped, at: path, depth: depth + 1, function: function)
    }
    if let text = value as? String { return .string(text) }
    if let members = value as? [String: Any] {
      var object: [String: JSON] = [:]
      for (name, member) in members {
        object[name] = try json(member, at: "\(path).\(name)", depth: depth + 1, function: function)
      }
      return .object(object)
    }
    if let elements = value as? [Any] {
      var array: [JSON] = []
      for (index, element) in elements.enumerated() {
        array.append(try json(element, at: "\(path)[\(index)]", depth: depth + 1, function: function))
      }
      return .array(array)
    }
    if let encodable = value as? any Encodable {
      do { return try CallableCoding.encode(encodable) } catch {
        throw FunctionsError(unsendable: error, at: path, function: function)
      }
    }
    if let number = FoundationObjects.number(value) {
      let json: JSON =
        switch number {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        }
      return CallableCoding.wrapped(json)
    }
    throw FunctionsError(
      .invalidArgument,
      "The data for \(function) can't be sent: \(path) is of the type \(type(of: value)), which has no JSON form. Send a "
        + "string, a number, a Boolean, an array, a dictionary with string keys, or an Encodable value."
    )
  }

  /// Decodes a value into `NSNull`, `Bool`, `Int`, `Int64`, `UInt64`, `Double`, `String`, arrays and
  /// dictionaries.
  ///
  /// `Int64` occurs only where an `Int` has 32 bits, for larger numbers. On Linux, an optional that is `nil`
  /// takes the place of `NSNull` in a program that doesn't contain the full Foundation.
  ///
  /// - Throws: `CallableCoding.UnreadableNumber` if a wrapped integer is malformed.
  static func value(_ json: JSON) throws -> any Sendable { try CallableCoding.unwrapped(json).plainValue }
}
