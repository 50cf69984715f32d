/// The content of `Integration/MATRIX.md`.
struct Matrix {
  /// What one combination does.
  struct Row {
    let combination: Combination
    /// The linked products as the executable prints them, in the order of its declaration.
    let linked: [String]
    let features: [(name: String, outcome: String)]
    /// The size of the stripped executable in bytes.
    let size: Int
    /// The start-up time; `nil` if it wasn't measured.
    let startUp: Duration?

    /// - Parameter libraries: the libraries that the executable prints.
    /// - Throws: ``MatrixError`` if these aren't the declared ones, or if there are no features.
    init(
      _ combination: Combination, libraries: [String], features: [(name: String, outcome: String)], size: Int,
      startUp: Duration?
    ) throws {
      // Core isn't a library of the graph.
      let modules = combination.modules.filter { $0 != "TenonCore" }
      let declared = Set(modules.map(Combination.libraryName))
      let present = Set(libraries.filter { $0.hasPrefix("tenon-") })
      guard declared == present else {
        throw MatrixError(
          "Package.swift declares that \(combination.executable) links \(Self.list(declared)); it has registered "
            + "\(Self.list(present)).")
      }
      guard !features.isEmpty else { throw MatrixError("\(combination.executable) prints no features.") }
      self.combination = combination
      linked = ["Core"] + modules.map(Combination.productName)
      self.features = features
      self.size = size
      self.startUp = startUp
    }

    private static func list(_ libraries: Set<String>) -> String {
      libraries.isEmpty ? "no product" : libraries.sorted().joined(separator: ", ")
    }
  }

  let rows: [Row]

  /// - Throws: ``MatrixError`` if combinations of one product don't have the same features.
  init(rows: [Row]) throws {
    self.rows = rows
    for section in sections {
      for row in section.rows where row.features.map(\.name) != section.rows[0].features.map(\.name) {
        throw MatrixError(
          "\(row.combination.executable) has other features than \(section.rows[0].combination.executable): "
            + "\(row.features.map(\.name)), \(section.rows[0].features.map(\.name)).")
      }
    }
  }

  /// The rows of each product, those with fewer products first.
  private var sections: [(subject: String, rows: [Row])] {
    var sections: [(subject: String, rows: [Row])] = []
    for row in rows {
      if let index = sections.firstIndex(where: { $0.subject == row.combination.subject }) {
        sections[index].rows.append(row)
      } else {
        sections.append((row.combination.subject, [row]))
      }
    }
    for index in sections.indices {
      // By position where the counts are equal, because `sort` need not keep the order.
      sections[index].rows = sections[index].rows.enumerated()
        .sorted { ($0.element.linked.count, $0.offset) < ($1.element.linked.count, $1.offset) }
        .map(\.element)
    }
    // Core first, because every program links it.
    return sections.filter { $0.subject == "Core" } + sections.filter { $0.subject != "Core" }
  }
}

// MARK: - Text

extension Matrix {
  /// How to write the file again.
  static let command = "swift build -c release && .build/release/tenon-matrix generate"
  /// The columns that aren't compared as text.
  static let sizeColumn = "Stripped size"
  static let startUpColumn = "Start-up"

  /// The text of the file.
  var text: String {
    let tables = sections.map { subject, rows in
      let columns =
        ["Combination", "Linked"] + rows[0].features.map(\.name) + [Self.sizeColumn, Self.startUpColumn]
      let lines = [columns, columns.map { _ in "---" }] + rows.map(\.cells)
      return "## \(subject)\n\n" + lines.map(Self.line).joined(separator: "\n") + "\n"
    }
    return Self.introduction + "\n" + tables.joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.map(TableLine.escaped).joined(separator: " | ") + " |"
  }

  private static let introduction = """
    # What each combination of products does

    Products use each other if they are linked, and do without each other otherwise. Each row is a program that links the
    products in its name and no others, tries out the first of them, and prints what happened. Most programs also link
    Embedded, the backend that they use. Those of Store that link StoreSync also use `tenon-server` as a process of its
    own. The programs are in [Combinations](Combinations), and what they try out is in [Features](Features).

    - "\(sizeColumn)" is the size of the executable of a release build without symbols (`strip`), in megabytes of
      1,000,000 bytes. Swift's own libraries aren't included: on Linux, programs load them as shared libraries.
    - "\(startUpColumn)" is the median time from the start of a process until it has configured its app, printed the linked
      libraries (`--linked`) and ended. It depends on the machine; compare rows only with each other.

    `tenon-matrix` writes this file. After a change, write it again:

    ```
    \(command)
    ```

    `.ci/run` fails if a feature, a linked library or a size (±10 %) is no longer what this file says. Its build has the
    option `-enable-testing`, with which executables are about 8 % larger; it takes that into account. It doesn't compare
    start-up times.

    """
}

extension Matrix.Row {
  /// The cells of the table.
  fileprivate var cells: [String] {
    ["\(combination.title) (`\(combination.executable)`)", linked.joined(separator: ", ")]
      + features.map(\.outcome) + [Measure.text(bytes: size), startUp.map(Measure.text) ?? "not measured"]
  }
}
