import TenonDocuments
import TenonSQLite
import TenonValues

extension QueryReading {
  /// Returns the sum of a field's values in the documents of the query if the index contains these values, so
  /// that no document is decoded.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - limit: the maximum number of values, in the query's order.
  /// - Returns: the number of documents that have the field, and the sum of its numbers; `nil` if the index
  ///   doesn't contain the values.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if an entry can't be read.
  /// - Complexity: O(n) in the number of entries.
  func numbers(of field: FieldPath, limit: Int?) throws -> (documents: Int, sum: NumberSum)? {
    guard plan.isContained(in: field), limit == nil || (parts.count <= 1 && isOrdered) else { return nil }
    let limit = limit ?? .max
    var (count, sum) = (0, NumberSum())
    for part in parts where count < limit {
      let scan = part.branch.scans[0]
      for range in scan.isReversed ? scan.ranges.reversed() : scan.ranges where count < limit {
        guard let statement = try IndexStatement(scan, in: part.collection, reader.fields, range) else {
          break
        }
        if limit == .max,
          let numbers = try statement.sum(
            in: reader.database, checkingCancellation: reader.checkCancellation)
        {
          count += numbers.rows
          sum.add(
            integers: numbers.integers, count: numbers.integerCount, doubles: numbers.doubles,
            count: numbers.doubleCount)
          continue
        }
        let prefix = statement.prefix?.count ?? 0
        let sql = statement.sql(reading: "e.value, e.is_double, e.document", joinsDocuments: false)
        try reader.database.forEachRow(sql, statement.bindings) { row in
          if count.isMultiple(of: 16) { try reader.checkCancellation() }
          count += 1
          try add(row, afterBytes: prefix, of: field, to: &sum)
          return count < limit
        }
      }
    }
    entriesRead += count
    return (count, sum)
  }

  /// Adds the documents of the query, whose limit is ignored, to aggregations. If the index alone determines
  /// the documents, SQLite adds their numbers; otherwise the aggregated fields are decoded, and those on which
  /// the query depends.
  ///
  /// - Throws: as ``LocalReader``.
  /// - Complexity: O(n) in the number of entries read.
  func aggregate(into state: inout AggregationState) throws {
    guard plan.branches.count == 1, plan.branches[0].isExact else {
      return try forEachMatch { row, match in
        do throws(DocumentError) {
          try row.withBytes(1) { bytes throws(DocumentError) in try state.add(stored: bytes) }
        } catch {
          throw StoreError.damaged(match.path, in: reader.database.path, error)
        }
        return true
      }
    }
    if let sums = try sums(of: state.storedFields) {
      return state.add(sums.documents, sums.numbers)
    }
    for part in parts {
      try readRows(part, "d.fields, d.name, d.collection") { row in
        do throws(DocumentError) {
          try row.withBytes(0) { bytes throws(DocumentError) in try state.add(stored: bytes) }
        } catch {
          let path = try reader.collections.path(of: row.integer(2)).appending(row.text(1))
          throw StoreError.damaged(path, in: reader.database.path, error)
        }
        return true
      }
    }
  }

  /// Returns the sums of fields in the documents of the query, which the index alone must determine.
  ///
  /// - Returns: the number of documents that have every field, and the sum of each field in them; `nil` if
  ///   there is no field or there are too many, or if a document can't be read, which the caller reports.
  /// - Throws: as ``LocalReader``.
  private func sums(of fields: [StoredField]) throws -> (documents: Int, numbers: [NumberSum])? {
    guard !fields.isEmpty, fields.count <= Connection.sumsLimit else { return nil }
    var (documents, numbers, rows) = (0, fields.map { _ in NumberSum() }, 0)
    for part in parts {
      let scan = part.branch.scans[0]
      for range in scan.ranges {
        guard let statement = try IndexStatement(scan, in: part.collection, reader.fields, range) else {
          break
        }
        let found = try statement.sums(
          of: fields, in: reader.database, checkingCancellation: reader.checkCancellation)
        guard found.damaged == 0 else { return nil }
        documents += found.counted
        rows += found.rows
        for (index, sum) in found.sums.enumerated() {
          numbers[index].add(
            integers: sum.integers, count: sum.integerCount, doubles: sum.doubles, count: sum.doubleCount)
        }
      }
    }
    entriesRead += rows
    return (documents, numbers)
  }

  /// Returns whether the index of a field that is missing would contain its values in the documents of the
  /// query.
  func wouldContain(_ field: FieldPath) -> Bool {
    !plan.missing.isEmpty
      && QueryPlan(query, indexes: reader.indexes.complete) { _ in true }.isContained(in: field)
  }

  /// Adds the number of an index entry to a sum; has no effect if the entry isn't a number.
  ///
  /// - Parameter prefix: the number of bytes that precede the encoded value.
  private func add(
    _ row: borrowing Row, afterBytes prefix: Int, of field: FieldPath, to sum: inout NumberSum
  ) throws {
    let number = row.withBytes(0) { OrderedEncoding.EncodedNumber($0.extracting(droppingFirst: prefix)) }
    guard let number else { return }
    let isDouble = row.optionalInteger(1)
    if isDouble == 1 { return sum.add(number.double) }
    let integer = number.integer
    if isDouble == nil {
      // Entries written before `is_double` existed don't record the type; if the number may be either, it is
      // read from the document.
      guard integer != nil, !number.isBeyondDoubles else {
        return integer.map { sum.add($0) } ?? sum.add(number.double)
      }
      let document = try reader.database.first(
        "SELECT fields FROM documents WHERE id = ?", [.integer(row.integer(2))]
      ) { try DocumentCoding.decode($0.blob(0)) }
      if let value = document?[field] { return sum.add(value) }
    } else if let integer {
      return sum.add(integer)
    }
    throw StoreError.damaged(reader.database.path, "an index entry of \(field.text) can't be read")
  }
}

extension QueryPlan {
  /// Whether the index of a field alone determines the documents of the query, and contains their values of
  /// the field.
  fileprivate func isContained(in field: FieldPath) -> Bool {
    guard branches.count == 1, branches[0].isExact, case .entries(field, .value) = branches[0].scans[0].index
    else { return false }
    return true
  }
}
