/// A line of a Markdown table.
enum TableLine {
  /// Returns the text of a cell in a form that doesn't end the cell or the line.
  static func escaped(_ cell: String) -> String {
    cell.replacing("|", with: "\\|").split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// Returns the cells of a line as they are written; `nil` if the line belongs to no table.
  static func cells(of line: Substring) -> [String]? {
    guard line.hasPrefix("|"), line.hasSuffix("|"), line.count > 1 else { return nil }
    var cells = [""]
    var isEscaped = false
    for letter in line.dropFirst().dropLast() {
      if letter == "|", !isEscaped { cells.append("") } else { cells[cells.count - 1].append(letter) }
      isEscaped = letter == "\\" && !isEscaped
    }
    return cells.map { cell in
      String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}
