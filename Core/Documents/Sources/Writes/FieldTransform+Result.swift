package import TenonValues

extension FieldTransform {
  /// Checks the field path and the operand: `increment`, `minimum` and `maximum` require a number, and the
  /// elements of `union` and `remove` must be valid elements of an array.
  ///
  /// NaN and the infinities are valid numbers. The elements may be empty.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` for a name or
  ///   ``DocumentError/Code/badValue`` for an operand. Its message names the field.
  package func check() throws(DocumentError) {
    try field.check()
    switch kind {
    case .serverTimestamp: break
    case .increment(let operand), .minimum(let operand), .maximum(let operand):
      guard operand.doubleValue != nil else {
        throw DocumentError(.badValue, "The field \"\(field.text)\" can only be changed by a number.")
      }
    case .union(let elements), .remove(let elements):
      try Fields(unsorted: [.init(name: "elements", value: .array(elements))]).checkValues(at: field)
    }
  }

  /// Returns the field's new value, as the server computes it
  /// (`google.firestore.v1.DocumentTransform.FieldTransform`).
  ///
  /// Array elements are compared like in queries, so 1 equals 1.0. `union` keeps the existing elements in
  /// place, duplicates included, and appends each missing element once, in the order given. `remove` removes
  /// all equal elements. Both treat a field that isn't an array as an empty one. Timestamps in their operands
  /// are truncated to microseconds first, like those of stored documents.
  ///
  /// A number has the type of the operand that determines it: a sum is an integer only if both numbers are,
  /// and a minimum or a maximum is one of the two numbers as it is.
  ///
  /// - Parameters:
  ///   - old: the current value; `nil` if the field doesn't exist.
  ///   - commitTime: the commit time. A server timestamp is this time truncated to milliseconds.
  /// - Returns: the new value. The operand must have passed ``check()``; the result of an invalid one is
  ///   unspecified.
  /// - Complexity: O(*n* · *m*) comparisons for an array of *n* elements and *m* operands.
  package func result(on old: Value?, at commitTime: Timestamp) -> Value {
    switch kind {
    case .serverTimestamp: .timestamp(commitTime.roundedDownToMilliseconds)
    case .increment(let operand): Self.sum(old, operand)
    case .minimum(let operand): Self.extreme(old, operand) { $0 < 0 }
    case .maximum(let operand): Self.extreme(old, operand) { $0 > 0 }
    case .union(let elements):
      .array(
        elements.lazy.map(\.kept).reduce(into: old?.arrayValue ?? []) { array, element in
          if !array.contains(where: { $0.compare(element) == 0 }) { array.append(element) }
        }
      )
    case .remove(let elements): .array(Self.removing(elements.map(\.kept), from: old?.arrayValue ?? []))
    }
  }

  /// Returns the elements of an array that equal none of others.
  private static func removing(_ elements: [Value], from array: [Value]) -> [Value] {
    array.filter { present in !elements.contains { $0.compare(present) == 0 } }
  }

  /// Returns the sum of a number and the operand. The sum of two integers is an integer, limited to the range
  /// of `Int64`; otherwise it is a double. If the old value isn't a number, the operand is returned.
  private static func sum(_ old: Value?, _ operand: Value) -> Value {
    switch (old, operand) {
    case (.integer(let left), .integer(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      return .integer(overflows ? (right > 0 ? .max : .min) : sum)
    case (let left?, let right):
      guard let left = left.doubleValue, let right = right.doubleValue else { return operand }
      // Checked: numbers with a fraction.
      return .double(left + right)
    case (nil, _): return operand
    }
  }

  /// Returns the old number or the operand, whichever wins the comparison: the old one if they are equal, and
  /// NaN if either is NaN. If the old value isn't a number, the operand is returned.
  ///
  /// - Parameters:
  ///   - old: the current value.
  ///   - operand: the number to compare with.
  ///   - wins: whether the operand wins, given the result of comparing it with the old value.
  private static func extreme(_ old: Value?, _ operand: Value, wins: (Int) -> Bool) -> Value {
    guard let old, let number = old.doubleValue else { return operand }
    if number.isNaN { return old }
    if operand.doubleValue?.isNaN ?? false { return operand }
    return wins(operand.compare(old)) ? operand : old
  }
}

extension Timestamp {
  /// The time truncated to milliseconds, the precision of Firestore's server timestamps.
  ///
  /// As the nanoseconds are counted forward, the result is never later, also before 1970.
  package var roundedDownToMilliseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1_000_000 * 1_000_000)
  }
}
