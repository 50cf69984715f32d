import TenonFoundation
import TenonValues

/// The operators `+`, `-`, `*`, `/` and `%`.
enum Arithmetic {
  /// Returns the result of an operation.
  ///
  /// The integer results of `+`, `-` and `*` must be 64-bit integers; those of `/` wrap, as in Java.
  static func result(
    _ operation: BinaryOperator, _ left: RulesValue, _ right: RulesValue, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return .integer(try integer(operation, left, right, id))
    case (.float(let left), .float(let right)): return .float(float(operation, left, right))
    case (.integer(let left), .float(let right)): return .float(float(operation, Double(left), right))
    case (.float(let left), .integer(let right)): return .float(float(operation, left, Double(right)))
    // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
    case (.string(let left), .string(let right)) where operation == .add: return .string(left + right)
    case (.duration(let left), .duration(let right)) where operation == .add || operation == .subtract:
      return try duration(left, operation == .add ? right : right.negated, id)
    case (.timestamp(let time), .duration(let span)) where operation == .add || operation == .subtract:
      return try timestamp(time, operation == .add ? span : span.negated, id)
    case (.duration(let span), .timestamp(let time)) where operation == .add:
      return try timestamp(time, span, id)
    case (.timestamp(let left), .timestamp(let right)) where operation == .subtract:
      return try difference(left, right, id)
    default:
      let sign = operation.rawValue
      var expected = ["int \(sign) int", "float \(sign) float"]
      switch operation {
      case .add:
        expected += [
          "string + string", "duration + duration", "duration + timestamp", "timestamp + duration",
        ]
      case .subtract:
        expected += ["duration - duration", "timestamp - duration", "timestamp - timestamp"]
      default: break
      }
      throw EvaluationError(
        .unsupported(
          received: "\(left.typeName) \(sign) \(right.typeName)", expected: expected.joined(separator: ", ")),
        node: id)
    }
  }

  private static func integer(
    _ operation: BinaryOperator, _ left: Int64, _ right: Int64, _ id: Int
  ) throws(EvaluationError) -> Int64 {
    let (result, overflow): (Int64, Bool)
    switch operation {
    case .add: (result, overflow) = left.addingReportingOverflow(right)
    case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
    case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
    default:
      if right == 0 { throw EvaluationError(.other("Divide by zero error."), node: id) }
      // The least integer divided by -1 is itself.
      return operation == .divide
        ? left.dividedReportingOverflow(by: right).partialValue
        : left.remainderReportingOverflow(dividingBy: right).partialValue
    }
    if overflow { throw EvaluationError(.integerRange, node: id) }
    return result
  }

  private static func float(_ operation: BinaryOperator, _ left: Double, _ right: Double) -> Double {
    switch operation {
    // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
    case .add: left + right
    // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
    case .subtract: left - right
    // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
    case .multiply: left * right
    case .divide: left / right
    default: left.truncatingRemainder(dividingBy: right)
    }
  }

  // MARK: - Times

  static func duration(
    _ left: RulesDuration, _ right: RulesDuration, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    // Checked: durations are limited to 10,000 years.
    let nanoseconds = Int64(left.nanoseconds) + Int64(right.nanoseconds)
    // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
    guard let sum = RulesDuration(seconds: left.seconds + right.seconds, nanoseconds: nanoseconds) else {
      throw EvaluationError(.other(Conversions.durationRange), node: id)
    }
    return .duration(sum)
  }

  static func timestamp(
    _ time: Timestamp, _ span: RulesDuration, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    var (seconds, overflow) = time.seconds.addingReportingOverflow(span.seconds)
    var nanoseconds = time.nanoseconds &+ span.nanoseconds
    if nanoseconds < 0 {
      // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
      nanoseconds += 1_000_000_000
      seconds &-= 1
    } else if nanoseconds >= 1_000_000_000 {
      // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
      nanoseconds -= 1_000_000_000
      seconds &+= 1
    }
    guard !overflow, Conversions.timestampSeconds.contains(seconds) else {
      throw EvaluationError(.other(Conversions.timestampRange), node: id)
    }
    return .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  private static func difference(
    _ left: Timestamp, _ right: Timestamp, _ id: Int
  ) throws(EvaluationError) -> RulesValue {
    let (seconds, overflow) = left.seconds.subtractingReportingOverflow(right.seconds)
    guard !overflow,
      let difference = RulesDuration(
        // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
        seconds: seconds, nanoseconds: Int64(left.nanoseconds) - Int64(right.nanoseconds))
    else { throw EvaluationError(.other(Conversions.durationRange), node: id) }
    return .duration(difference)
  }
}

extension RulesDuration {
  /// The duration in the other direction.
  // Checked: seconds are limited to 10,000 years, and nanoseconds have 32 bits.
  var negated: RulesDuration { RulesDuration(seconds: -seconds, nanoseconds: Int64(-nanoseconds)) ?? self }
}

/// The operators `<`, `<=`, `>` and `>=`.
enum Comparisons {
  /// Returns whether a comparison holds, or `nil` if such values can't be compared.
  static func holds(_ operation: BinaryOperator, _ left: RulesValue, _ right: RulesValue) -> Bool? {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): holds(operation, left, right)
    case (.float(let left), .float(let right)): holds(operation, left, right)
    case (.integer(let left), .float(let right)): holds(operation, Double(left), right)
    case (.float(let left), .integer(let right)): holds(operation, left, Double(right))
    case (.string(let left), .string(let right)): holds(operation, order(left, right), 0)
    case (.bytes(let left), .bytes(let right)): holds(operation, ByteOrder.compare(left, right), 0)
    case (.timestamp(let left), .timestamp(let right)):
      left.seconds == right.seconds
        ? holds(operation, left.nanoseconds, right.nanoseconds)
        : holds(operation, left.seconds, right.seconds)
    case (.duration(let left), .duration(let right)):
      left.seconds == right.seconds
        ? holds(operation, left.nanoseconds, right.nanoseconds)
        : holds(operation, left.seconds, right.seconds)
    default: nil
    }
  }

  /// Compares texts by their UTF-16 units, as Java does, which differs from the order of their bytes only
  /// beyond U+FFFF.
  private static func order(_ left: String, _ right: String) -> Int {
    func isBeyond(_ text: String) -> Bool { text.utf8.contains { $0 >= 0xEE } }
    guard isBeyond(left), isBeyond(right) else { return ByteOrder.compare(left, right) }
    if left.utf16.lexicographicallyPrecedes(right.utf16) { return -1 }
    return right.utf16.lexicographicallyPrecedes(left.utf16) ? 1 : 0
  }

  @inline(__always) private static func holds<Operand: Comparable>(
    _ operation: BinaryOperator, _ left: Operand, _ right: Operand
  ) -> Bool {
    switch operation {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    default: left >= right
    }
  }
}
