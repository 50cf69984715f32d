import ArgumentParser
import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInspection
import TenonValues

/// `tenon store import`: documents from JSON lines.
struct StoreImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Sets documents from JSON, one on each line, as export writes it.",
    discussion: """
      Every line is checked before anything is written. If one is wrong, nothing is imported, and each wrong line is named. A \
      document that exists is replaced. Times and hasPendingWrites are ignored.

      In a database that is only on this device, and in its local collections, the documents are final. In a database that is shared \
      with a remote, they are queued as writes of the current user, in batches of up to 500 documents, which an app sends when it is \
      connected; the remote may reject them.

      Documents are written in batches. If one can't be, for example because the disk is full, the command says how many lines were \
      imported; importing the same file again sets these documents to what they are.

      EXAMPLES
        tenon store import default.sqlite --input notes.jsonl
        tenon store import default.sqlite --input notes.jsonl --dry-run
        gunzip -c notes.jsonl.gz | tenon store import default.sqlite
      """)

  @OptionGroup var store: StoreFileOptions

  @Option(name: .shortAndLong, help: "The file to read; standard input by default.", completion: .file())
  var input: String?

  @Flag(help: "Check the lines and write nothing.")
  var dryRun = false

  @Flag(name: .customLong("json"), help: "Print the result as JSON.")
  var asJSON = false

  /// The number of wrong lines that are printed.
  private static let mostErrors = 20
  /// The greatest number of documents and of bytes of a batch. A request to the remote has at most 10 MiB.
  private static let (batchCount, batchBytes) = (500, 4 << 20)

  func run() throws {
    // Opened first, so that a wrong file is an error before a long input was read.
    let editor = dryRun ? nil : try store.editor()
    if dryRun { try store.inspect { _ in } }
    let source = try ImportSource(input)
    let total = try check(source)
    guard let editor else {
      return try finish(Report(documents: total, imported: 0, queued: 0, user: nil, isDryRun: true))
    }
    defer { editor.finish() }
    let (final, queued) = try write(source, total, editor)
    try finish(Report(documents: total, imported: final, queued: queued, user: editor.user, isDryRun: false))
  }

  // MARK: - Steps

  /// Reads all lines, and names the wrong ones.
  ///
  /// - Returns: the number of documents.
  private func check(_ source: ImportSource) throws -> Int64 {
    var (documents, errors): (Int64, Int) = (0, 0)
    var progress = ProgressLine("Checking")
    var lines = try source.lines(isFirst: true)
    defer { progress.end() }
    while let line = try lines.next() {
      guard !Self.isBlank(line) else { continue }
      do throws(DocumentError) { _ = try DocumentLine(line) } catch {
        errors += 1
        progress.end()
        if errors <= Self.mostErrors {
          Terminal.report("\(source.name):\(lines.number): error: \(error.message)")
        }
        continue
      }
      documents += 1
      progress.update(documents)
    }
    guard errors == 0 else {
      throw CommandError(
        "\(StoreText.count(errors, "line is", "lines are")) wrong. Nothing was imported; correct the "
          + "\(errors == 1 ? "line" : "lines") and import the file again.")
    }
    return documents
  }

  /// Writes the documents, in batches.
  ///
  /// - Returns: the numbers of documents that are final and that are queued.
  private func write(
    _ source: ImportSource, _ total: Int64, _ editor: StoreEditor
  ) throws -> (final: Int64, queued: Int64) {
    var (final, queued, last): (Int64, Int64, Int64) = (0, 0, 0)
    var progress = ProgressLine("Importing")
    defer { progress.end() }
    do {
      var lines = try source.lines(isFirst: false)
      var (batch, bytes): ([(path: ResourcePath, fields: Fields)], Int) = ([], 0)
      func commit() throws {
        guard !batch.isEmpty else { return }
        let imported = try editor.set(batch)
        (final, queued, last) = (final + Int64(imported.final), queued + Int64(imported.queued), lines.number)
        (batch, bytes) = ([], 0)
        progress.update((final + queued) / 64 * 64, of: total)
      }
      while let line = try lines.next() {
        guard !Self.isBlank(line) else { continue }
        let document = try DocumentLine(line)
        batch.append((document.path, document.fields))
        bytes += line.count
        if batch.count == Self.batchCount || bytes >= Self.batchBytes { try commit() }
      }
      try commit()
    } catch {
      let message = (error as? StoreError)?.message ?? (error as? DocumentError)?.message ?? "\(error)"
      guard last > 0 else { throw CommandError("Nothing was imported: \(message)") }
      throw CommandError(
        "The lines up to \(last) were imported (\(StoreText.count(final + queued, "document"))), the others weren't: \(message) "
          + "Import the same file again when the cause is removed.")
    }
    return (final, queued)
  }

  private static func isBlank(_ line: Data) -> Bool { line.allSatisfy { $0 == 32 || $0 == 9 } }

  // MARK: - Result

  private struct Report: Encodable {
    let documents: Int64
    let imported: Int64
    let queued: Int64
    let user: String?
    let isDryRun: Bool
  }

  private func finish(_ report: Report) throws {
    if asJSON { return print(try StoreText.json(report)) }
    if report.isDryRun {
      return print("\(StoreText.count(report.documents, "document")) can be imported. Nothing was written.")
    }
    if report.imported > 0 || report.queued == 0 {
      print("Imported \(StoreText.count(report.imported, "document")).")
    }
    guard report.queued > 0 else { return }
    print(
      "Queued \(StoreText.count(report.queued, "document")) as writes of \(StoreText.user(report.user)). An app sends them when it "
        + "is connected; `tenon store queue` lists them.")
  }
}

/// The input of an import, which is read twice. Input that isn't a file, such as standard input, is copied
/// while it is read for the first time.
private struct ImportSource {
  /// The name of the input in messages.
  let name: String
  /// The path of the file; `nil` for other input.
  private let path: String?
  /// The input and its copy, an open file without a name; `nil` if the input is a file.
  private let copy: (source: FileHandle, writing: FileHandle, reading: FileHandle)?

  init(_ path: String?) throws {
    let named = path.flatMap { $0 == "-" ? nil : $0 }
    name = named ?? "standard input"
    let source = try named.map(Self.open) ?? .standardInput
    if let named,
      (try? FileManager.default.attributesOfItem(atPath: named))?[.type] as? FileAttributeType == .typeRegular
    {
      (self.path, copy) = (named, nil)
      return
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-import-\(UUID()).jsonl").path
    // Whatever ends this process, the copy doesn't remain.
    defer { try? FileManager.default.removeItem(atPath: file) }
    guard
      FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]),
      let writing = FileHandle(forWritingAtPath: file), let reading = FileHandle(forReadingAtPath: file)
    else {
      throw CommandError(
        "\(file) can't be written, which keeps the input until it is checked. Name a file with --input.")
    }
    (self.path, copy) = (nil, (source, writing, reading))
  }

  private static func open(_ path: String) throws -> FileHandle {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandError("\(path) can't be read. Name a file of JSON lines with --input.")
    }
    return handle
  }

  /// Returns a reader of all lines.
  ///
  /// - Parameter isFirst: whether it is the first one.
  func lines(isFirst: Bool) throws -> LineReader {
    if let path { return LineReader(try Self.open(path), limit: DocumentLine.limit) }
    var lines = LineReader(
      (isFirst ? copy?.source : copy?.reading) ?? .standardInput, limit: DocumentLine.limit)
    if isFirst { lines.onRead = { try copy?.writing.write(contentsOf: $0) } }
    return lines
  }
}
