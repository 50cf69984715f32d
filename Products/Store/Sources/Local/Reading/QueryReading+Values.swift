import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension QueryReading {
  /// Calls `body` with a field's value in each document of the query if the index contains these values, so that no document is
  /// decoded. Values that are not numbers are passed as null.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - limit: the maximum number of values, in the query's order.
  ///   - body: called with each value.
  /// - Returns: whether the index contains the values; if `false`, `body` was not called.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if an entry cannot be read.
  func forEachNumber(of field: FieldPath, limit: Int?, _ body: (Value) -> Void) throws -> Bool {
    guard plan.branches.count == 1, plan.branches[0].isExact,
      case .entries(field, .value) = plan.branches[0].scans[0].index,
      limit == nil || (parts.count <= 1 && isOrdered)
    else { return false }
    var left = limit ?? .max
    for part in parts where left > 0 {
      let scan = part.branch.scans[0]
      for range in scan.isReversed ? scan.ranges.reversed() : scan.ranges where left > 0 {
        guard let statement = try IndexStatement(scan, in: part.collection, reader.fields, range) else {
          break
        }
        let sql = statement.sql(reading: "e.value, e.is_double, e.document", joinsDocuments: false)
        try reader.database.forEachRow(sql, statement.bindings) { row in
          if entriesRead.isMultiple(of: 16) { try reader.checkCancellation() }
          entriesRead += 1
          body(try number(in: row, of: field))
          left -= 1
          return left > 0
        }
      }
    }
    return true
  }

  /// Returns the number of an index entry; null if the entry is not a number.
  private func number(in row: borrowing Row, of field: FieldPath) throws -> Value {
    guard let number = row.withBytes(0, OrderedEncoding.EncodedNumber.init) else { return .null }
    let integer = number.integer
    switch row.optionalInteger(1) {
    case 1?: return .double(number.double)
    case _? where integer != nil: return integer.map(Value.integer) ?? .null
    // Entries written before `is_double` existed do not record the type; if the number may be either, it is read from the
    // document.
    case nil where integer != nil && !number.isBeyondDoubles:
      let document = try reader.database.first(
        "SELECT fields FROM documents WHERE id = ?", [.integer(row.integer(2))]
      ) { try DocumentCoding.decode($0.blob(0)) }
      guard let value = document?[field] else { break }
      return value
    case nil: return integer.map(Value.integer) ?? .double(number.double)
    default: break
    }
    throw StoreError.damaged(reader.database.path, "an index entry of \(field.text) can't be read")
  }
}
