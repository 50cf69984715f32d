/// Foundation's objects in untyped data: `NSNull` and `NSNumber`.
///
/// On Linux, these classes belong to the full Foundation, which takes longer to load than the rest of a
/// program. This library doesn't link it, but an app may: then its objects are recognized by their classes'
/// names, and `NSNull` is created through the standard library's protocols.
package enum FoundationObjects {
  /// A number that was wrapped in an object.
  package enum Number: Sendable, Equatable {
    case bool(Bool)
    case int(Int64)
    case unsigned(UInt64)
    case double(Double)
  }

  /// What represents `null` in untyped data: `NSNull`. On Linux, it is an optional that is `nil` in a program
  /// that doesn't contain the full Foundation.
  package static let null = makeNull()

  #if canImport(FoundationEssentials)
    /// The mangled name of `NSArray`.
    static let arrayType = "10Foundation7NSArrayC"

    /// Returns what represents `null` in untyped data.
    ///
    /// - Parameter arrayType: the mangled name of `NSArray`, the class from which `NSNull` is obtained.
    /// - Returns: `NSNull`; an optional that is `nil` if the program doesn't contain the full Foundation.
    /// - Complexity: O(*n*) in the number of types in the program, if there is no such class.
    package static func makeNull(arrayType: String = arrayType) -> any Sendable {
      guard let array = _typeByName(arrayType) as? any ExpressibleByArrayLiteral.Type,
        let null = first(of: array), isNull(null)
      else { return Optional<Never>.none }
      // `NSNull` is immutable, and `Sendable` according to Foundation. A cast can't test for that protocol.
      return unsafeBitCast(null as AnyObject, to: (any AnyObject & Sendable).self)
    }

    /// Returns the element of an array with the literal `[nil]`. `NSArray` holds `NSNull` in place of `nil`.
    private static func first<List: ExpressibleByArrayLiteral>(of type: List.Type) -> Any? {
      func first(_ elements: some Sequence) -> Any? { elements.first { _ in true } }
      guard let element = Optional<Never>.none as Any as? List.ArrayLiteralElement,
        let elements = type.init(arrayLiteral: element) as? any Sequence
      else { return nil }
      return first(elements)
    }

    /// Whether a value is an `NSNull`.
    package static func isNull(_ value: Any) -> Bool { classNames(of: value).contains("Foundation.NSNull") }

    /// Returns the number that an object wraps, from its description: the methods of the class can't be
    /// called without its module.
    ///
    /// - Returns: `nil` if the value isn't an `NSNumber`.
    package static func number(_ value: Any) -> Number? {
      let names = classNames(of: value)
      guard names.contains("Foundation.NSNumber") else { return nil }
      let text = String(describing: value)
      // Booleans have their own class, and are described as 0 and 1.
      if names.contains("Foundation.__NSCFBoolean") { return .bool(text != "0") }
      // Checked: text; the initializers are failable.
      return Int64(text).map(Number.int) ?? UInt64(text).map(Number.unsigned)
        ?? Double(text).map(Number.double)
    }

    /// Returns the name of a value's class and those of its superclasses; none if it isn't an object.
    private static func classNames(of value: Any) -> [String] {
      var names: [String] = []
      var type: AnyClass? = Swift.type(of: value) as? AnyClass
      while let next = type {
        names.append(String(reflecting: next))
        type = _getSuperclass(next)
      }
      return names
    }
  #else
    /// Returns `NSNull`, which represents `null` in untyped data.
    private static func makeNull() -> any Sendable { NSNull() }

    /// Whether a value is an `NSNull`.
    package static func isNull(_ value: Any) -> Bool { value is NSNull }

    /// Returns the number that an object wraps, by its Objective-C type.
    ///
    /// - Returns: `nil` if the value isn't an `NSNumber`.
    package static func number(_ value: Any) -> Number? {
      guard let number = value as? NSNumber else { return nil }
      return switch String(cString: number.objCType) {
      case "c", "B": .bool(number.boolValue)
      case "f", "d": .double(number.doubleValue)
      case "Q": .unsigned(number.uint64Value)
      default: .int(number.int64Value)
      }
    }
  #endif
}
