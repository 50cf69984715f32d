package import TenonValues

/// The sum of the numbers among some values, with the semantics of Firestore's server.
///
/// It is an integer if all numbers are integers and the sum fits into 64 bits, otherwise a double. Integers
/// are added exactly, in 128 bits, and converted at the end.
package struct NumberSum: Sendable {
  /// The number of numbers.
  private var count = 0
  /// The exact sum of the integers.
  private var integers: Int128 = 0
  /// The sum of the doubles; `nil` if there were none.
  private var doubles: Double?

  /// Creates a sum of no numbers.
  package init() {}

  /// Adds a number; ignores values of other types.
  package mutating func add(_ value: Value) {
    switch value {
    case .integer(let number): add(number)
    case .double(let number): add(number)
    default: return
    }
  }

  /// Adds an integer.
  package mutating func add(_ number: Int64) {
    // Checked: fewer than 2^64 integers of 64 bits.
    integers += Int128(truncatingIfNeeded: number)
    count += 1
  }

  /// Adds a double.
  package mutating func add(_ number: Double) {
    // Checked: numbers with a fraction.
    doubles = (doubles ?? 0) + number
    count += 1
  }

  /// Adds numbers that were added before.
  ///
  /// - Parameters:
  ///   - integers: the exact sum of the integers.
  ///   - integerCount: the number of integers.
  ///   - doubles: the sum of the doubles.
  ///   - doubleCount: the number of doubles.
  package mutating func add(
    integers: Int128, count integerCount: Int, doubles: Double, count doubleCount: Int
  ) {
    self.integers += integers
    if doubleCount > 0 { self.doubles = (self.doubles ?? 0) + doubles }
    count += integerCount + doubleCount
  }

  /// Adds the numbers of another sum.
  mutating func add(_ other: NumberSum) {
    add(integers: other.integers, count: 0, doubles: 0, count: 0)
    if let doubles = other.doubles { self.doubles = (self.doubles ?? 0) + doubles }
    count += other.count
  }

  /// The sum.
  var value: Value {
    if doubles == nil, let sum = Int64(exactly: integers) { return .integer(sum) }
    return .double(total)
  }

  /// The average as a double; null without numbers.
  var average: Value { count == 0 ? .null : .double(total / Double(count)) }

  /// The sum as a double.
  private var total: Double { Double(integers) + (doubles ?? 0) }
}
