import TenonBasics

/// The types of the arguments that a component accepts, or that a factory passes. A type is represented by a
/// key without a name.
extension [ComponentKey] {
  /// The types as a parenthesized list, for example `(String, Int?)`.
  var list: String { "(\(map(\.typeName).joined(separator: ", ")))" }

  /// The types as Swift expressions, for example `String.self, Int?.self`.
  var expressions: String { map(\.typeExpression).joined(separator: ", ") }

  /// Returns whether arguments of other types can be passed where these are declared: the same types in the
  /// same order, except that optional ones at the end may be omitted.
  ///
  /// - Parameter given: the types of the arguments to pass.
  func accept(types given: [ComponentKey]) -> Bool {
    given.count <= count && zip(self, given).allSatisfy(==) && dropFirst(given.count).allSatisfy(\.isOptional)
  }

  /// Returns whether values can be passed where these types are declared. Optional arguments at the end may
  /// be omitted.
  ///
  /// - Parameter values: the arguments to pass.
  func accept(values: [any Sendable]) -> Bool {
    values.count <= count && zip(self, values).allSatisfy { $0.matches($1) }
      && dropFirst(values.count).allSatisfy(\.isOptional)
  }
}

extension ComponentKey {
  /// Whether the argument's type is an optional, so that it may be omitted. An omitted argument is `nil`.
  fileprivate var isOptional: Bool { metatype is any OptionalType.Type }

  /// Returns whether a value is an instance of the key's type.
  fileprivate func matches(_ value: any Sendable) -> Bool {
    func isInstance<Value>(of type: Value.Type) -> Bool { value is Value }
    return isInstance(of: metatype)
  }

  /// Returns the declaration of a factory need for this key as Swift code.
  ///
  /// - Parameter arguments: the types of the factory's arguments.
  func factory(taking arguments: [ComponentKey]) -> String {
    let name = name.map { ", named: \"\($0)\"" } ?? ""
    return ".factory(\(typeExpression), taking: \(arguments.expressions)\(name))"
  }
}

/// The arguments of the current request. A creation reads them one after another. Used on one thread, and
/// deallocated when the creation ends.
@usableFromInline
final class ArgumentList {
  /// The arguments that haven't been read.
  private var rest: ArraySlice<any Sendable>

  /// Moves the arguments out of the request, so that the component's needs, which are created next, don't see
  /// them.
  ///
  /// - Parameters:
  ///   - types: the types that the component declares.
  ///   - component: the key of the component, for errors.
  ///   - thread: the calling thread, whose request has the arguments.
  /// - Throws: ``ComponentError`` with ``ComponentError/Code/arguments`` if the arguments don't match the
  ///   types.
  init(_ types: [ComponentKey], of component: ComponentKey, _ thread: CurrentThread) throws {
    let values = thread.state.pointee.resolution.arguments
    thread.state.pointee.resolution.arguments = []
    guard types.accept(values: values) else {
      throw ComponentError.wrongArguments(component, taken: types, given: values, path: thread.path)
    }
    rest = values[...]
  }

  /// Returns the next argument; `nil` for an optional one that was omitted.
  ///
  /// - Throws: ``ArgumentMismatch``. The initializer has checked the arguments, so this is a safeguard.
  @usableFromInline func next<Value: Sendable>(_ type: Value.Type) throws -> Value {
    if let value = rest.popFirst() as? Value { return value }
    guard let optional = type as? any OptionalType.Type, let none = optional.none as? Value else {
      throw ArgumentMismatch()
    }
    return none
  }
}

/// Thrown if arguments that were checked before are missing.
struct ArgumentMismatch: Error {}
