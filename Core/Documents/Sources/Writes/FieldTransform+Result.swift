public import TenonStoreInterop

extension FieldTransform {
  /// Checks that a number is given where one is needed, and the rules of values.
  ///
  /// - Throws: ``DocumentError`` that names the field.
  public func check() throws(DocumentError) {
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

  /// The field's new value.
  ///
  /// - Parameters:
  ///   - old: the value there is; `nil` when there is none.
  ///   - moment: the moment of the commit.
  public func result(on old: Value?, at moment: Timestamp) -> Value {
    switch kind {
    case .serverTimestamp: .timestamp(moment.roundedDownToMilliseconds)
    case .increment(let operand): Self.sum(old, operand)
    case .minimum(let operand): Self.extreme(old, operand) { $0 < 0 }
    case .maximum(let operand): Self.extreme(old, operand) { $0 > 0 }
    case .union(let elements):
      .array(
        elements.reduce(into: old?.arrayValue ?? []) { array, element in
          if !array.contains(where: { $0.compare(element) == 0 }) { array.append(element) }
        }
      )
    case .remove(let elements):
      .array(
        (old?.arrayValue ?? []).filter { present in !elements.contains { $0.compare(present) == 0 } }
      )
    }
  }

  private static func sum(_ old: Value?, _ operand: Value) -> Value {
    switch (old, operand) {
    case (.integer(let left), .integer(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      return .integer(overflows ? (right > 0 ? .max : .min) : sum)
    case (let left?, let right):
      guard let left = left.doubleValue, let right = right.doubleValue else { return operand }
      return .double(left + right)
    case (nil, _): return operand
    }
  }

  /// The old number or the operand, whichever comes first; the old one where they are equal, NaN where one of them is.
  private static func extreme(_ old: Value?, _ operand: Value, wins: (Int) -> Bool) -> Value {
    guard let old, let number = old.doubleValue else { return operand }
    if number.isNaN { return old }
    if operand.doubleValue?.isNaN ?? false { return operand }
    return wins(operand.compare(old)) ? operand : old
  }
}

extension Timestamp {
  /// The same moment without what is finer than a millisecond.
  fileprivate var roundedDownToMilliseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1_000_000 * 1_000_000)
  }
}
