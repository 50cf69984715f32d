internal import CSQLite
internal import TenonSums

/// The sum of numbers that SQLite has computed; see ``Connection/sum(_:of:_:)``.
package struct SQLSum: Sendable {
  /// The number of rows.
  package let rows: Int
  /// The number of integers among their values.
  package let integerCount: Int
  /// The exact sum of the integers.
  package let integers: Int128
  /// The number of doubles among their values.
  package let doubleCount: Int
  /// The sum of the doubles, in the order of the rows.
  package let doubles: Double
}

extension Connection {
  /// Returns the sum of an expression over the rows of a query. SQLite adds the numbers without returning to
  /// the caller for each of them.
  ///
  /// - Parameters:
  ///   - expression: an SQL expression. Values that are neither integers nor doubles aren't added, but their
  ///     rows are counted.
  ///   - source: what follows `FROM` in the query, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  ///   - check: called about every 30,000 rows; ends the query by throwing.
  /// - Throws: ``SQLiteError``; what `check` throws.
  package func sum(
    _ expression: String, of source: String, _ bindings: [SQLValue], checking check: () throws -> Void
  ) throws -> SQLSum {
    if !hasSum {
      let result = tenon_add_sum(handle)
      guard result == SQLITE_OK else { throw error(result, "tenon_sum") }
      hasSum = true
    }
    var sum = tenon_sum()
    try interrupting(check) {
      try forEachRow("SELECT tenon_sum(\(expression)) FROM \(source)", bindings) { row in
        row.withBytes(0) { bytes in
          withUnsafeMutableBytes(of: &sum) { sum in
            bytes.withUnsafeBytes { if $0.count == sum.count { sum.copyMemory(from: $0) } }
          }
        }
        return false
      }
    }
    return SQLSum(
      rows: Int(clamping: sum.rows), integerCount: Int(clamping: sum.integers),
      integers: Int128(truncatingIfNeeded: sum.high) << 64 | Int128(truncatingIfNeeded: sum.low),
      doubleCount: Int(clamping: sum.doubles), doubles: sum.sum)
  }

  /// Runs statements, and ends the one that is running when a check throws.
  ///
  /// - Parameters:
  ///   - check: called after every 100,000 steps of a statement, each of which takes some nanoseconds.
  ///   - body: runs the statements.
  /// - Throws: what `check` or `body` throws.
  private func interrupting<Result>(
    _ check: () throws -> Void, _ body: () throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(check) { check in
      let interruption = Interruption(check)
      return try withExtendedLifetime(interruption) {
        sqlite3_progress_handler(
          handle, 100_000,
          { Unmanaged<Interruption>.fromOpaque($0!).takeUnretainedValue().isDue() ? 1 : 0 },
          Unmanaged.passUnretained(interruption).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        do { return try body() } catch { throw interruption.failure ?? error }
      }
    }
  }
}

/// A check that ends a statement by throwing.
private final class Interruption {
  private let check: () throws -> Void
  /// What the check has thrown.
  private(set) var failure: (any Error)?

  init(_ check: @escaping () throws -> Void) { self.check = check }

  /// Runs the check, and returns whether it has thrown.
  func isDue() -> Bool {
    do { try check() } catch { failure = error }
    return failure != nil
  }
}
