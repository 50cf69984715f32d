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

/// The sums of numbers in blobs that SQLite has computed; see
/// ``Connection/sums(of:at:reading:in:_:checking:)``.
package struct SQLSums: Sendable {
  /// The number of rows.
  package let rows: Int
  /// The number of rows that have all values.
  package let counted: Int
  /// The number of rows that couldn't be read. They aren't added.
  package let damaged: Int
  /// The sums of the rows that have all values, in the order of the paths.
  package let sums: [SQLSum]
}

/// Reads a number from a blob; see `tenon_number_reader` in `TenonSums.h`.
package typealias SQLNumberReader =
  @convention(c) (
    UnsafeRawPointer?, Int64, UnsafeRawPointer?, Int64, UnsafeMutablePointer<Int64>?
  ) -> Int32

extension SQLSum {
  fileprivate init(_ sum: tenon_sum) {
    self.init(
      rows: Int(clamping: sum.rows), integerCount: Int(clamping: sum.integers),
      integers: Int128(truncatingIfNeeded: sum.high) << 64 | Int128(truncatingIfNeeded: sum.low),
      doubleCount: Int(clamping: sum.doubles), doubles: sum.sum)
  }
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
    try read(&sum, "SELECT tenon_sum(\(expression)) FROM \(source)", bindings, checking: check)
    return SQLSum(sum)
  }

  /// The largest number of sums that ``sums(of:at:reading:in:_:checking:)`` computes together.
  package static var sumsLimit: Int { Int(TENON_SUMS_LIMIT) }

  /// Returns the sums of numbers in blobs whose format SQLite doesn't know, over the rows of a query that have
  /// a value at each of some paths.
  ///
  /// - Parameters:
  ///   - expression: an SQL expression whose values are the blobs.
  ///   - paths: where the numbers are in a blob, in the form that `reader` expects; at least one, and at most
  ///     ``sumsLimit``.
  ///   - reader: reads a number. All calls for a connection must pass the same function.
  ///   - source: what follows `FROM` in the query, with `?` for each bound value.
  ///   - bindings: one value for each `?`.
  ///   - check: called about every 30,000 rows; ends the query by throwing.
  /// - Throws: ``SQLiteError``; what `check` throws.
  package func sums(
    of expression: String, at paths: [SQLValue], reading reader: SQLNumberReader, in source: String,
    _ bindings: [SQLValue], checking check: () throws -> Void
  ) throws -> SQLSums {
    if !hasSums {
      let result = tenon_add_sums(handle, reader)
      guard result == SQLITE_OK else { throw error(result, "tenon_sums") }
      hasSums = true
    }
    var sums = tenon_sums()
    let parameters = String(repeating: ", ?", count: paths.count)
    try read(
      &sums, "SELECT tenon_sums(\(expression)\(parameters)) FROM \(source)", paths + bindings,
      checking: check)
    let all = withUnsafeBytes(of: sums.sums) { $0.bindMemory(to: tenon_sum.self).map(SQLSum.init) }
    return SQLSums(
      rows: Int(clamping: sums.rows), counted: Int(clamping: sums.counted),
      damaged: Int(clamping: sums.damaged), sums: Array(all.prefix(paths.count)))
  }

  /// Reads the result of an aggregate function of this library, the bytes of a C structure.
  private func read<Result: BitwiseCopyable>(
    _ result: inout Result, _ sql: String, _ bindings: [SQLValue], checking check: () throws -> Void
  ) throws {
    try interrupting(check) {
      try forEachRow(sql, bindings) { row in
        row.withBytes(0) { bytes in
          withUnsafeMutableBytes(of: &result) { result in
            bytes.withUnsafeBytes { if $0.count == result.count { result.copyMemory(from: $0) } }
          }
        }
        return false
      }
    }
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
