import TenonStoreEngine
import TenonValues

/// A type whose values can be written to a field of a document, and compared with in queries.
///
/// Booleans, integers, floating-point numbers, `Decimal`, text, `Date`, `Data`, `URL`, `Timestamp`,
/// `GeoPoint`, ``DocumentReference``, ``FieldValue``, arrays and dictionaries of these, and optionals, which
/// are stored as null if they are `nil`, are document values:
///
/// ```swift
/// try await page.setData(["title": title, "rating": rating, "tags": ["hot", 1], "seen": .serverTimestamp()])
/// ```
///
/// A type of your own becomes one by conformance. An enumeration with raw values and a `Codable` type need
/// nothing more; any other type implements ``fieldValue()``:
///
/// ```swift
/// enum Level: String, DocumentValue { case low, high }
/// struct Address: Codable, DocumentValue { var street, city: String }
/// extension Money: DocumentValue {
///   func fieldValue() throws -> FieldValue { try FieldValue(["amount": amount, "currency": currency]) }
/// }
/// ```
///
/// The compiler checks the values of a dictionary literal. Below the first level, arrays and dictionaries of
/// mixed types have elements of type `Any`, which are checked when they are written: an element that isn't a
/// document value is an error that names its field. For the same reason, write `FieldValue.serverTimestamp()`
/// instead of `.serverTimestamp()` in nested maps.
public protocol DocumentValue {
  /// Returns the value as it is written.
  ///
  /// - Throws: any error; the operation that writes the value throws a ``StoreError`` that names the field.
  func fieldValue() throws -> FieldValue
}

extension DocumentValue where Self: RawRepresentable, RawValue: DocumentValue {
  /// Returns the raw value.
  public func fieldValue() throws -> FieldValue { try rawValue.fieldValue() }
}

extension DocumentValue where Self: Encodable {
  /// Returns the fields that the value encodes.
  ///
  /// - Throws: `EncodingError`.
  public func fieldValue() throws -> FieldValue { try FieldValue(encoding: self) }
}

extension DocumentValue where Self: RawRepresentable & Encodable, RawValue: DocumentValue {
  /// Returns the raw value.
  public func fieldValue() throws -> FieldValue { try rawValue.fieldValue() }
}

/// A value that can't be written, and where it is.
struct DocumentValueError: Error {
  /// Field names, and positions in arrays as `[2]`, from the outermost on.
  private var path: [String] = []
  /// What is wrong, as the end of a sentence that begins with the field.
  private let problem: String
  /// The error of the conversion; `nil` if the value itself is wrong.
  private let underlying: (any Error)?

  /// Creates the error of a value, whose place ``below(_:)`` adds.
  init(_ problem: String, underlying: (any Error)? = nil) {
    self.problem = problem
    self.underlying = underlying
  }

  /// The error of a value whose conversion failed.
  init(converting error: any Error) {
    if let error = error as? DocumentValueError {
      self = error
    } else {
      let text = (error as? DocumentError)?.message ?? (error as? StoreError)?.message ?? "\(error)"
      self.init("can't be stored: \(text)", underlying: error)
    }
  }

  /// The error of a value whose type isn't a document value.
  init(typeOf value: Any) {
    self.init(
      "has a value of type \(type(of: value)), which can't be stored; adopt DocumentValue in the type, or convert the value"
    )
  }

  /// Returns the error with the name of the enclosing field, or the position in an array, prepended to its
  /// path.
  func below(_ name: String) -> DocumentValueError {
    var error = self
    error.path.insert(name, at: 0)
    return error
  }

  /// The error that users see, with ``StoreError/Code/invalidArgument``.
  ///
  /// - Parameter subject: the sentence's subject if the value doesn't belong to a field; `nil` for the field
  ///   that ``below(_:)`` has named.
  func storeError(_ subject: String? = nil) -> StoreError {
    var name = ""
    for part in path { name += part.hasPrefix("[") || name.isEmpty ? part : ".\(part)" }
    let subject = subject ?? "The field \"\(name)\""
    return StoreError(.invalidArgument, "\(subject) \(problem).", underlying: underlying)
  }
}
