import TenonStoreEngine
package import TenonStoreInterop

/// A condition on documents, for ``QuerySource/whereFilter(_:)``.
///
/// ```swift
/// notes.whereFilter(
///   .orFilter([.whereField("rating", isGreaterThan: 3), .whereField("author", isEqualTo: name)]))
/// ```
///
/// The functions that create a condition take the field by its name, with dots between the names of maps, or
/// by its path; `FieldPath.documentID()` is the document's ID. A document that lacks the field satisfies none
/// of the conditions. The functions don't throw: if a value can't be stored, or can only be computed by a
/// write, or a list has a wrong number of values, the query throws a ``StoreError`` with
/// ``StoreError/Code/invalidArgument`` when it is run.
public struct Filter: Sendable {
  /// The condition, or the error of a value that can't be stored.
  let condition: Result<QueryFilter, StoreError>

  /// Creates a filter from a condition.
  package init(_ condition: QueryFilter) { self.condition = .success(condition) }

  private init(_ condition: Result<QueryFilter, StoreError>) { self.condition = condition }

  /// Creates a condition on a field. The error of a value that can't be stored is kept; it names the field.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - comparison: the operator.
  ///   - value: the operand.
  private init(
    _ field: some FieldPathConvertible, _ comparison: QueryComparison, _ value: any DocumentValue
  ) {
    let field = field.fieldPath
    do {
      condition = .success(.field(field, comparison, try FieldValue(value).inQuery()))
    } catch {
      condition = .failure(DocumentValueError(converting: error).below(field.text).storeError())
    }
  }

  /// Returns the condition that a field equals a value. Integers and doubles are compared by their numerical
  /// values, so that 1 equals 1.0.
  public static func whereField(
    _ field: some FieldPathConvertible, isEqualTo value: any DocumentValue
  ) -> Filter { Filter(field, .equal, value) }

  /// Returns the condition that a field exists, isn't null, and doesn't equal a value. A query can have one
  /// such condition, or one with `notIn`.
  public static func whereField(
    _ field: some FieldPathConvertible, isNotEqualTo value: any DocumentValue
  ) -> Filter { Filter(field, .notEqual, value) }

  /// Returns the condition that a field is less than a value. Only values of the same type match; integers
  /// and doubles count as one type. With null or NaN, no document matches.
  public static func whereField(
    _ field: some FieldPathConvertible, isLessThan value: any DocumentValue
  ) -> Filter { Filter(field, .lessThan, value) }

  /// Returns the condition that a field is less than or equal to a value; see ``whereField(_:isLessThan:)``.
  public static func whereField(
    _ field: some FieldPathConvertible, isLessThanOrEqualTo value: any DocumentValue
  ) -> Filter { Filter(field, .lessThanOrEqual, value) }

  /// Returns the condition that a field is greater than a value; see ``whereField(_:isLessThan:)``.
  public static func whereField(
    _ field: some FieldPathConvertible, isGreaterThan value: any DocumentValue
  ) -> Filter { Filter(field, .greaterThan, value) }

  /// Returns the condition that a field is greater than or equal to a value; see
  /// ``whereField(_:isLessThan:)``.
  public static func whereField(
    _ field: some FieldPathConvertible, isGreaterThanOrEqualTo value: any DocumentValue
  ) -> Filter { Filter(field, .greaterThanOrEqual, value) }

  /// Returns the condition that a field is greater than or equal to a value, in the spelling of
  /// firebase-ios-sdk; see ``whereField(_:isGreaterThanOrEqualTo:)``.
  public static func whereField(
    _ field: some FieldPathConvertible, isGreaterOrEqualTo value: any DocumentValue
  ) -> Filter { Filter(field, .greaterThanOrEqual, value) }

  /// Returns the condition that a field is an array that contains a value. With null or NaN, no document
  /// matches.
  public static func whereField(
    _ field: some FieldPathConvertible, arrayContains value: any DocumentValue
  ) -> Filter { Filter(field, .arrayContains, value) }

  /// Returns the condition that a field is an array that contains at least one of 1 to 30 values. Null and
  /// NaN among the values never match.
  public static func whereField(
    _ field: some FieldPathConvertible, arrayContainsAny values: [any DocumentValue]
  ) -> Filter { Filter(field, .arrayContainsAny, values) }

  /// Returns the condition that a field equals one of 1 to 30 values. Null and NaN among the values never
  /// match.
  public static func whereField(
    _ field: some FieldPathConvertible, in values: [any DocumentValue]
  ) -> Filter { Filter(field, .in, values) }

  /// Returns the condition that a field exists, isn't null, and equals none of 1 to 10 values. If null is
  /// among the values, no document matches; NaN is ignored. It can't be combined with `in`,
  /// `arrayContainsAny` or alternatives.
  public static func whereField(
    _ field: some FieldPathConvertible, notIn values: [any DocumentValue]
  ) -> Filter { Filter(field, .notIn, values) }

  /// Returns the condition that all of the conditions hold.
  ///
  /// - Parameter filters: the conditions; without any, every document satisfies the result.
  public static func andFilter(_ filters: [Filter]) -> Filter { combined(filters, QueryFilter.and) }

  /// Returns the condition that at least one of the conditions holds. A query can have at most 30
  /// alternatives after its conditions have been converted to disjunctive normal form.
  ///
  /// - Parameter filters: the conditions, at least one.
  public static func orFilter(_ filters: [Filter]) -> Filter { combined(filters, QueryFilter.or) }

  /// Combines filters; the result has the error of the first invalid one.
  ///
  /// - Parameters:
  ///   - filters: the filters.
  ///   - combine: creates the condition from those of the filters.
  private static func combined(
    _ filters: [Filter], _ combine: ([QueryFilter]) -> QueryFilter
  ) -> Filter {
    Filter(
      Result { () throws(StoreError) in
        combine(try filters.map { filter throws(StoreError) in try filter.condition.get() })
      })
  }
}

extension Filter: CustomStringConvertible {
  /// The condition on one line, for example `(rating > 3 or author == "Ann")`.
  public var description: String {
    switch condition {
    case .success(let condition): condition.description
    case .failure(let error): error.description
    }
  }
}

extension FieldValue {
  /// Returns the plain value, for comparison in a query.
  ///
  /// - Throws: ``DocumentValueError`` if the field value is a transform or a deletion.
  func inQuery() throws -> TenonValues.Value {
    switch content {
    case .transform, .delete:
      throw DocumentValueError("is compared with a FieldValue that only a write can compute")
    default: try inArray()
    }
  }
}

extension QuerySource {
  /// Returns the documents of the query that satisfy a condition, for example one made with `andFilter` and
  /// `orFilter`. It is combined with earlier conditions by a logical AND.
  ///
  /// A condition that breaks a rule makes the query throw a ``StoreError`` with
  /// ``StoreError/Code/invalidArgument`` when it is run.
  ///
  /// - Parameter filter: the condition.
  public func whereFilter(_ filter: Filter) -> Refined {
    var query = query
    switch filter.condition {
    case .success(let condition):
      query.structure.filter = query.structure.filter.map { .and([$0, condition]) } ?? condition
    case .failure(let error): query.error = query.error ?? error
    }
    return refined(query)
  }

  /// Returns the documents of the query whose field equals a value. Integers and doubles are compared by
  /// their numerical values, so that 1 equals 1.0.
  public func whereField(
    _ field: some FieldPathConvertible, isEqualTo value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isEqualTo: value)) }

  /// Returns the documents of the query whose field exists, isn't null, and doesn't equal a value. A query
  /// can have one such condition, or one with `notIn`.
  public func whereField(
    _ field: some FieldPathConvertible, isNotEqualTo value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isNotEqualTo: value)) }

  /// Returns the documents of the query whose field is less than a value. Only values of the same type match;
  /// integers and doubles count as one type. With null or NaN, no document matches.
  public func whereField(
    _ field: some FieldPathConvertible, isLessThan value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isLessThan: value)) }

  /// Returns the documents of the query whose field is less than or equal to a value; see
  /// ``whereField(_:isLessThan:)``.
  public func whereField(
    _ field: some FieldPathConvertible, isLessThanOrEqualTo value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isLessThanOrEqualTo: value)) }

  /// Returns the documents of the query whose field is greater than a value; see
  /// ``whereField(_:isLessThan:)``.
  public func whereField(
    _ field: some FieldPathConvertible, isGreaterThan value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isGreaterThan: value)) }

  /// Returns the documents of the query whose field is greater than or equal to a value; see
  /// ``whereField(_:isLessThan:)``.
  public func whereField(
    _ field: some FieldPathConvertible, isGreaterThanOrEqualTo value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, isGreaterThanOrEqualTo: value)) }

  /// Returns the documents of the query whose field is an array that contains a value. With null or NaN,
  /// no document matches.
  public func whereField(
    _ field: some FieldPathConvertible, arrayContains value: any DocumentValue
  ) -> Refined { whereFilter(.whereField(field, arrayContains: value)) }

  /// Returns the documents of the query whose field is an array that contains at least one of 1 to 30 values.
  /// Null and NaN among the values never match.
  public func whereField(
    _ field: some FieldPathConvertible, arrayContainsAny values: [any DocumentValue]
  ) -> Refined { whereFilter(.whereField(field, arrayContainsAny: values)) }

  /// Returns the documents of the query whose field equals one of 1 to 30 values. Null and NaN among the
  /// values never match.
  public func whereField(
    _ field: some FieldPathConvertible, in values: [any DocumentValue]
  ) -> Refined { whereFilter(.whereField(field, in: values)) }

  /// Returns the documents of the query whose field exists, isn't null, and equals none of 1 to 10 values. If
  /// null is among the values, no document matches; NaN is ignored. It can't be combined with `in`,
  /// `arrayContainsAny` or alternatives.
  public func whereField(
    _ field: some FieldPathConvertible, notIn values: [any DocumentValue]
  ) -> Refined { whereFilter(.whereField(field, notIn: values)) }
}
