/// The comparison of a committed matrix with the present one.
struct Comparison {
  /// By which part of the committed size a size may differ.
  private static let sizeTolerance = 0.1

  /// What is different, as sentences; empty if the committed matrix is current.
  let differences: [String]

  /// Compares two texts of ``Matrix``.
  ///
  /// - Parameters:
  ///   - committed: the text of the file.
  ///   - present: the text that the executables yield now. Its start-up times aren't read.
  init(committed: String, present: String) {
    let (old, new) = (Document(committed), Document(present))
    var differences = old.problems
    for row in new.rows {
      guard let other = old.rows.first(where: { $0.name == row.name }) else {
        differences.append("There is no row for \(row.name).")
        continue
      }
      differences += Self.differences(from: other, to: row)
    }
    for row in old.rows where !new.rows.contains(where: { $0.name == row.name }) {
      differences.append("The row of \(row.name) has no program that Package.swift declares.")
    }
    if differences.isEmpty, old.rows.map(\.name) != new.rows.map(\.name) {
      differences.append("The rows aren't in the order of Package.swift.")
    }
    differences += Self.differences(from: old.prose, to: new.prose)
    self.differences = differences
  }

  /// Compares the lines outside of tables, and the tables' headers.
  private static func differences(from old: [Substring], to new: [Substring]) -> [String] {
    guard old != new else { return [] }
    let index = zip(old, new).prefix { $0 == $1 }.count
    func quoted(_ lines: [Substring]) -> String {
      index < lines.count ? "“\(lines[index])”" : "the end"
    }
    return ["The text says \(quoted(old)) instead of \(quoted(new))."]
  }

  /// Compares two rows of the same program.
  private static func differences(from old: Document.Row, to new: Document.Row) -> [String] {
    var found: [String] = []
    for (column, value) in new.cells {
      guard let committed = old.cells.first(where: { $0.column == column })?.value else {
        found.append("\(new.name) has no cell for “\(column)”.")
        continue
      }
      switch column {
      case Matrix.startUpColumn:
        guard Measure.number(committed, unit: "ms") == nil else { continue }
        found.append("\(new.name) has no start-up time, but “\(committed)”.")
      case Matrix.sizeColumn:
        guard let before = Measure.number(committed, unit: "MB"), let now = Measure.number(value, unit: "MB")
        else {
          found.append("\(new.name) has no size, but “\(committed)”.")
          continue
        }
        let change = now / before - 1
        guard abs(change) > sizeTolerance + 0.000_001 else { continue }
        let percent = Int((change * 100).rounded())
        found.append(
          "\(new.name) has \(value) instead of \(committed) (\(percent > 0 ? "+" : "")\(percent) %).")
      default:
        guard committed != value else { continue }
        found.append("\(new.name), \(column): “\(value)” instead of “\(committed)”.")
      }
    }
    return found
  }
}

/// The tables of a matrix, and the text around them.
private struct Document {
  struct Row {
    /// The combination with its executable, which is in the first column.
    let name: String
    let cells: [(column: String, value: String)]
  }

  private(set) var rows: [Row] = []
  /// All lines but the rows.
  private(set) var prose: [Substring] = []
  /// What is wrong with the tables themselves.
  private(set) var problems: [String] = []

  init(_ text: String) {
    var columns: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let cells = TableLine.cells(of: line) else {
        columns = nil
        prose.append(line)
        continue
      }
      guard let columns, cells.contains(where: { $0 != "---" }) else {
        columns = columns ?? cells
        prose.append(line)
        continue
      }
      if rows.contains(where: { $0.name == cells[0] }) { problems.append("\(cells[0]) has two rows.") }
      if cells.count != columns.count {
        problems.append("\(cells[0]) has \(cells.count) cells instead of \(columns.count).")
      }
      rows.append(Row(name: cells[0], cells: Array(zip(columns, cells))))
    }
  }
}
