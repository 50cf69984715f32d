/// The types of the arguments that a component takes, or that a factory gives. A type is a key without a name.
extension [ComponentKey] {
  /// The types as a list, for example `(String, Int?)`.
  var list: String { "(\(map(\.typeName).joined(separator: ", ")))" }

  /// The types in code, for example `String.self, Int?.self`.
  var expressions: String { map(\.typeExpression).joined(separator: ", ") }

  /// Returns whether arguments of the types `given` can be passed where these are taken: the same types in the same order, of
  /// which optional ones at the end may be left out.
  func accept(types given: [ComponentKey]) -> Bool {
    given.count <= count && zip(self, given).allSatisfy(==) && dropFirst(given.count).allSatisfy(\.isOptional)
  }

  /// Returns whether `values` can be passed where these types are taken.
  func accept(values: [any Sendable]) -> Bool {
    values.count <= count && zip(self, values).allSatisfy { $0.matches($1) }
      && dropFirst(values.count).allSatisfy(\.isOptional)
  }
}

extension ComponentKey {
  /// Whether the argument may be left out, which means `nil`.
  fileprivate var isOptional: Bool { metatype is any OptionalType.Type }

  /// Returns whether a value is of the key's type.
  fileprivate func matches(_ value: any Sendable) -> Bool {
    func isInstance<Value>(of type: Value.Type) -> Bool { value is Value }
    return isInstance(of: metatype)
  }

  /// The need for a factory of this key, in code.
  func factory(taking arguments: [ComponentKey]) -> String {
    let name = name.map { ", named: \"\($0)\"" } ?? ""
    return ".factory(\(typeExpression), taking: \(arguments.expressions)\(name))"
  }
}

/// The arguments of the current request, which a creation takes one after the other.
final class ArgumentList {
  private var rest: ArraySlice<any Sendable>

  /// Takes the arguments out of the request, so that the needs, which are created next, don't see them.
  ///
  /// - Throws: ``ComponentError`` with ``ComponentError/Code/arguments`` if they aren't what the component takes.
  init(_ types: [ComponentKey], of component: ComponentKey, _ thread: CurrentThread) throws {
    let values = thread.state.pointee.resolution.arguments
    thread.state.pointee.resolution.arguments = []
    guard types.accept(values: values) else {
      throw ComponentError.wrongArguments(component, taken: types, given: values, path: thread.path)
    }
    rest = values[...]
  }

  /// Returns the next argument; `nil` for an optional one that was left out.
  func next<Value: Sendable>(_ type: Value.Type) throws -> Value {
    if let value = rest.popFirst() as? Value { return value }
    guard let optional = type as? any OptionalType.Type, let none = optional.none as? Value else {
      throw ArgumentMismatch()
    }
    return none
  }
}

/// Thrown if arguments that were checked before are missing nevertheless.
struct ArgumentMismatch: Error {}
