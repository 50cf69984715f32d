import ArgumentParser
import TenonStoreEngine
import TenonStoreInspection

/// `tenon store check`: the soundness of a database.
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a database: pages, documents, index entries and the queue. Names what is damaged.",
    discussion: """
      Reads everything: the checksum of each page in use and how pages refer to one another, each document and each queued write, \
      and the entries of each complete index, which must be those of the documents.

      EXAMPLES
        tenon store check default.sqlite
        tenon store check ~/.local/share/notes --json

      Exit codes: 0 sound, 1 damaged or couldn't be checked, 64 wrong arguments.
      """)

  @OptionGroup var store: StoreFileOptions

  @Flag(name: .customLong("json"), help: "Print the result as JSON.")
  var asJSON = false

  /// The number of defects that are printed as text.
  private static let mostDefects = 100

  func run() throws {
    let (path, key) = (try StoreFileFinder.database(at: store.file), try store.key())
    var report = Report(file: path)
    var progress = ProgressLine("Checking")
    do {
      let result = try StoreInspector.inspect(path, key: key) { inspector in
        let total = try? inspector.documentCount(in: nil)
        return try inspector.check(onProgress: { progress.update($0, of: total) }) { report.add($0) }
      }
      (report.documents, report.entries, report.batches) = (result.documents, result.entries, result.batches)
    } catch let error as StoreError where error.code == .dataLoss {
      report.add(kind: "file", error.message)
    } catch let error as StoreError {
      progress.end()
      throw CommandError(error)
    }
    progress.end()
    print(try asJSON ? StoreText.json(report) : report.text)
    if !report.isSound { throw ExitCode.failure }
  }

  /// The result of the check, as it is printed.
  private struct Report: Encodable {
    struct Defect: Encodable {
      /// `file`, `page`, `document`, `index` or `queue`.
      let kind: String
      let message: String
    }

    let file: String
    var isSound = true
    var documents: Int64 = 0
    var entries: Int64 = 0
    var batches: Int64 = 0
    /// The first ones.
    var defects: [Defect] = []
    var defectCount = 0
    /// The advice for a repair; empty if nothing is damaged.
    var repair = ""

    init(file: String) { self.file = file }

    mutating func add(_ defect: StoreDefect) { add(kind: defect.kind.rawValue, defect.message) }

    mutating func add(kind: String, _ message: String) {
      isSound = false
      defectCount += 1
      if defects.count < mostDefects { defects.append(Defect(kind: kind, message: message)) }
      let isOnlyIndexes = kind == "index" && (repair.isEmpty || repair == Self.rebuild)
      repair = isOnlyIndexes ? Self.rebuild : Self.restore
    }

    private static let rebuild =
      "The documents are whole. Indexes are derived from them: open the database once with fieldIndexing: .none, indexes: [], "
      + "fieldOverrides: [] and textIndexes: [] in StoreSettings, and then with the settings as before, so that the indexes are built again."
    private static let restore =
      "Stop the apps that use it, and keep a copy of the file and the files beside it. Then restore a backup (Store.restore), or move "
      + "the file aside with Store.setAsideDamagedFile() and copy what can be read with Store.recoverDocuments(from:)."

    var text: String {
      var lines = defects.map { "error: \($0.message) [\($0.kind)]" }
      if defectCount > defects.count {
        lines.append("… and \(StoreText.number(defectCount - defects.count)) more")
      }
      if !repair.isEmpty { lines.append("  - \(repair)") }
      let counts = [
        StoreText.count(documents, "document"), StoreText.count(entries, "index entry", "index entries"),
        StoreText.count(batches, "pending or rejected batch", "pending or rejected batches"),
      ].joined(separator: ", ")
      let result = isSound ? "sound" : StoreText.count(defectCount, "defect")
      return (lines + ["tenon store check: \(counts): \(result)"]).joined(separator: "\n")
    }
  }
}
