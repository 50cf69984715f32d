/// The type of an argument that a component takes at `resolve`.
@usableFromInline
struct ArgumentType: Sendable, Hashable, CustomStringConvertible {
  private let type: ComponentKey
  /// Whether it may be left out, which means `nil`.
  let isOptional: Bool
  /// Whether a value is of this type.
  private let isMatch: @Sendable (any Sendable) -> Bool

  init<Value: Sendable>(_ type: Value.Type) {
    self.type = ComponentKey(type)
    isOptional = type is any OptionalType.Type
    isMatch = { $0 is Value }
  }

  @usableFromInline static func == (left: ArgumentType, right: ArgumentType) -> Bool {
    left.type == right.type
  }
  @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(type) }

  @usableFromInline var description: String { type.typeName }

  /// `(String, Int?)`.
  static func list(_ types: [ArgumentType]) -> String {
    "(\(types.map(\.description).joined(separator: ", ")))"
  }

  /// `String.self, Int?.self`.
  static func expressions(_ types: [ArgumentType]) -> String {
    types.map(\.type.typeExpression).joined(separator: ", ")
  }

  /// Whether arguments of the types `given` can be passed where `wanted` ones are taken: the same types in the same
  /// order; optional ones at the end may be left out.
  static func accept(_ wanted: [ArgumentType], _ given: [ArgumentType]) -> Bool {
    given.count <= wanted.count && zip(wanted, given).allSatisfy(==)
      && wanted.dropFirst(given.count).allSatisfy(\.isOptional)
  }

  /// Whether values can be passed where `wanted` types are taken.
  static func accept(_ wanted: [ArgumentType], values: [any Sendable]) -> Bool {
    values.count <= wanted.count && zip(wanted, values).allSatisfy { $0.isMatch($1) }
      && wanted.dropFirst(values.count).allSatisfy(\.isOptional)
  }
}

extension ComponentKey {
  /// A need of a factory in code.
  func factory(taking arguments: [ArgumentType]) -> String {
    let name = name.map { ", named: \"\($0)\"" } ?? ""
    return ".factory(\(typeExpression), taking: \(ArgumentType.expressions(arguments))\(name))"
  }
}

/// The arguments of the present request, to be taken one after the other.
final class ArgumentList {
  private var rest: ArraySlice<any Sendable>

  /// Takes the arguments out of the request, so that what is created next, the needs, doesn't see them.
  init(_ types: [ArgumentType], of component: ComponentKey, _ thread: CurrentThread) throws {
    let values = thread.takeArguments()
    guard ArgumentType.accept(types, values: values) else {
      throw ComponentError.wrongArguments(component, taken: types, given: values, path: thread.path)
    }
    rest = values[...]
  }

  /// The next argument; `nil` for an optional one that was left out.
  func next<Value: Sendable>(_ type: Value.Type) throws -> Value {
    if let value = rest.popFirst() as? Value { return value }
    guard let optional = type as? any OptionalType.Type, let none = optional.none as? Value else {
      throw ArgumentMismatch()
    }
    return none
  }
}

/// Thrown where arguments that were checked before are missing all the same.
struct ArgumentMismatch: Error {}

/// `Optional`, whatever it wraps.
protocol OptionalType {
  static var none: Self { get }
  static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType {
  static var wrapped: any Any.Type { Wrapped.self }
}
