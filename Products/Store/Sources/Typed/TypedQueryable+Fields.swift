import TenonDocuments
import TenonStoreEngine
public import TenonValues

// Conditions and orders by key path. Each is the function of the same name of `Queryable`, with the field
// that the key path names (see `FieldNaming`) and the value as the model encodes it. A key path without a
// field, and a value that can't be encoded, become the error that the query throws when it is run, as for
// other invalid queries.

extension TypedQueryable {
  /// Returns the field that a key path of the model names; see ``FieldNaming``.
  ///
  /// ```swift
  /// let total = try await orders.aggregate([.sum(orders.field(\.price))]).getAggregation()
  /// ```
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` that names the key path if it has no
  ///   field.
  public func field(_ keyPath: PartialKeyPath<Model>) throws -> FieldPath {
    try FieldNames<Model>.field(of: keyPath)
  }

  /// Returns the documents whose field equals a value; see ``QuerySource/whereField(_:isEqualTo:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isEqualTo value: Property
  ) -> TypedQuery<Model> { filtered(keyPath) { .whereField($0, isEqualTo: try storedValue(value)) } }

  /// Returns the documents whose field exists, isn't null, and doesn't equal a value; see
  /// ``QuerySource/whereField(_:isNotEqualTo:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isNotEqualTo value: Property
  ) -> TypedQuery<Model> { filtered(keyPath) { .whereField($0, isNotEqualTo: try storedValue(value)) } }

  /// Returns the documents whose field is less than a value; see ``QuerySource/whereField(_:isLessThan:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isLessThan value: Property
  ) -> TypedQuery<Model> { filtered(keyPath) { .whereField($0, isLessThan: try storedValue(value)) } }

  /// Returns the documents whose field is less than or equal to a value; see
  /// ``QuerySource/whereField(_:isLessThanOrEqualTo:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isLessThanOrEqualTo value: Property
  ) -> TypedQuery<Model> {
    filtered(keyPath) { .whereField($0, isLessThanOrEqualTo: try storedValue(value)) }
  }

  /// Returns the documents whose field is greater than a value; see
  /// ``QuerySource/whereField(_:isGreaterThan:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isGreaterThan value: Property
  ) -> TypedQuery<Model> { filtered(keyPath) { .whereField($0, isGreaterThan: try storedValue(value)) } }

  /// Returns the documents whose field is greater than or equal to a value; see
  /// ``QuerySource/whereField(_:isGreaterThanOrEqualTo:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, isGreaterThanOrEqualTo value: Property
  ) -> TypedQuery<Model> {
    filtered(keyPath) { .whereField($0, isGreaterThanOrEqualTo: try storedValue(value)) }
  }

  /// Returns the documents whose field is an array that contains a value; see
  /// ``QuerySource/whereField(_:arrayContains:)``.
  public func whereField<Property: Sequence & Encodable>(
    _ keyPath: KeyPath<Model, Property>, arrayContains value: Property.Element
  ) -> TypedQuery<Model> where Property.Element: Encodable {
    filtered(keyPath) { .whereField($0, arrayContains: try storedValue(value)) }
  }

  /// Returns the documents whose field is an array that contains a value; see
  /// ``QuerySource/whereField(_:arrayContains:)``.
  public func whereField<Property: Sequence & Encodable>(
    _ keyPath: KeyPath<Model, Property?>, arrayContains value: Property.Element
  ) -> TypedQuery<Model> where Property.Element: Encodable {
    filtered(keyPath) { .whereField($0, arrayContains: try storedValue(value)) }
  }

  /// Returns the documents whose field is an array that contains at least one of 1 to 30 values; see
  /// ``QuerySource/whereField(_:arrayContainsAny:)``.
  public func whereField<Property: Sequence & Encodable>(
    _ keyPath: KeyPath<Model, Property>, arrayContainsAny values: [Property.Element]
  ) -> TypedQuery<Model> where Property.Element: Encodable {
    filtered(keyPath) { .whereField($0, arrayContainsAny: try values.map { try storedValue($0) }) }
  }

  /// Returns the documents whose field equals one of 1 to 30 values; see ``QuerySource/whereField(_:in:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, in values: [Property]
  ) -> TypedQuery<Model> { filtered(keyPath) { .whereField($0, in: try values.map { try storedValue($0) }) } }

  /// Returns the documents whose field exists, isn't null, and equals none of 1 to 10 values; see
  /// ``QuerySource/whereField(_:notIn:)``.
  public func whereField<Property: Encodable>(
    _ keyPath: KeyPath<Model, Property>, notIn values: [Property]
  ) -> TypedQuery<Model> {
    filtered(keyPath) { .whereField($0, notIn: try values.map { try storedValue($0) }) }
  }

  /// Returns the query ordered by a field; see ``QuerySource/order(by:descending:)``.
  public func order(by keyPath: PartialKeyPath<Model>, descending: Bool = false) -> TypedQuery<Model> {
    changed { query in query.order(by: try field(keyPath), descending: descending) }
  }

  /// Returns the query with a condition on a field.
  private func filtered(
    _ keyPath: PartialKeyPath<Model>, _ filter: (FieldPath) throws -> Filter
  ) -> TypedQuery<Model> {
    changed { query in
      let field = try field(keyPath)
      do { return query.whereFilter(try filter(field)) } catch {
        throw DocumentValueError(converting: error).below(field.text).storeError()
      }
    }
  }

  /// Returns the query with a change; an error of it becomes the query's error.
  private func changed(_ change: (Query) throws -> Query) -> TypedQuery<Model> {
    var query = untyped
    do { query = try change(query) } catch {
      query.error =
        query.error ?? StoreError.wrapping(error) as? StoreError
        ?? StoreError(.invalidArgument, "The query is invalid: \(error).", underlying: error)
    }
    return TypedQuery(query)
  }
}
