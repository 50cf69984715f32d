import TenonFoundation
import TenonValues

// Swift allows one conformance for all arrays. With a condition on the element's type, arrays of mixed types,
// whose elements are of type `Any` or of an existential type, wouldn't conform.
extension Array: DocumentValue {
  /// Returns an array.
  ///
  /// - Throws: an error if an element isn't a document value, or is a ``FieldValue`` that is computed or
  ///   deletes.
  public func fieldValue() throws -> FieldValue {
    var elements: [TenonValues.Value] = []
    elements.reserveCapacity(count)
    for (index, element) in enumerated() {
      do { elements.append(try FieldValue(untyped: element).inArray()) } catch {
        throw DocumentValueError(converting: error).below("[\(index)]")
      }
    }
    return FieldValue(plain: .array(elements))
  }
}

extension Dictionary: DocumentValue where Key == String {
  /// Returns a map.
  ///
  /// - Throws: an error if a value isn't a document value.
  public func fieldValue() throws -> FieldValue {
    FieldValue(map: try DocumentData(self) { value in try FieldValue(untyped: value) })
  }
}

extension Optional: DocumentValue where Wrapped: DocumentValue {
  /// Returns the wrapped value; null if there is none.
  public func fieldValue() throws -> FieldValue { try self?.fieldValue() ?? FieldValue(plain: .null) }
}

extension Dictionary where Key == String, Value == any DocumentValue {
  /// Creates document values from untyped ones, for example those of `JSONSerialization`.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` that names the first field whose value
  ///   isn't a ``DocumentValue``.
  public init(checking untyped: [String: Any]) throws {
    self = try untyped.reduce(into: [:]) { result, entry in
      do { result[entry.key] = try FieldValue(untyped: entry.value) } catch {
        throw DocumentValueError(converting: error).below(entry.key).storeError()
      }
    }
  }
}

extension FieldValue {
  /// Creates a field value from a value whose type isn't known to the compiler.
  ///
  /// - Throws: ``DocumentValueError``, and the errors of a conversion.
  fileprivate init(untyped value: Any) throws {
    if let value = value as? any DocumentValue {
      try self.init(value)
    } else if let optional = value as? any OptionalType, optional.wrapped == nil {
      self.init(plain: .null)
    } else if FoundationObjects.isNull(value) {
      self.init(plain: .null)
    } else if let number = FoundationObjects.number(value) {
      switch number {
      case .bool(let value): self.init(plain: .boolean(value))
      case .int(let value): self.init(plain: .integer(value))
      case .unsigned(let value): try self.init(integer: value)
      case .double(let value): self.init(plain: .double(value))
      }
    } else {
      throw DocumentValueError(typeOf: value)
    }
  }

  /// The error for a field value that can't be an element of an array.
  private static let computedInArray = DocumentValueError(
    "is a FieldValue in an array, where it can't be computed; write it to a separate field")

  /// Returns the plain value, as an element of an array.
  ///
  /// - Throws: ``DocumentValueError`` if the field value is a transform or a deletion.
  func inArray() throws -> TenonValues.Value {
    switch content {
    case .value(let value): return value
    case .map(let data):
      let computed = data.transforms.first?.field ?? data.deletions.first
      throw (computed?.segments ?? []).reversed().reduce(Self.computedInArray) { $0.below($1) }
    case .transform, .delete: throw Self.computedInArray
    case .invalid(let error): throw error
    }
  }
}
