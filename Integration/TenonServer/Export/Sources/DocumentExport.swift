import FirestoreProtobuf
package import TenonDocuments
package import TenonFoundation

/// The export of a database: a file with its documents, and two that lead to it.
///
/// Google's emulator reads and writes the same (`POST /emulator/v1/projects/PROJECT:export`, `--import-data`),
/// and Firestore's managed exports have the form, too.
package final class DocumentExport {
  private static let part = "all_namespaces/all_kinds"
  private static let partFile = "all_namespaces_all_kinds.export_metadata"

  private let folder: URL
  private let output: RecordWriter
  private let writer: EntityWriter
  private var count = 0

  private var name: String { folder.lastPathComponent }

  /// Begins an export. As all calls, it blocks.
  ///
  /// - Parameters:
  ///   - folder: the folder, which is created; its name is that of the export.
  ///   - database: the database.
  /// - Throws: ``ExportProblem``.
  package init(_ folder: URL, of database: DatabaseName) throws(ExportProblem) {
    self.folder = folder
    let place = folder.appending(path: Self.part)
    try ExportProblem.naming(place.path) {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    output = try RecordWriter(place.appending(path: "output-0"))
    writer = EntityWriter(database: database)
  }

  /// Adds a document.
  ///
  /// - Throws: ``ExportProblem``.
  package func append(_ document: ExportedDocument) throws(ExportProblem) {
    count += 1
    try output.append(writer.entity(document))
  }

  /// Ends the export.
  ///
  /// - Parameter now: the time, in microseconds since 1970.
  /// - Returns: the name of the file that leads to the others, in the folder.
  /// - Throws: ``ExportProblem``.
  package func finish(now: Int64) throws(ExportProblem) -> String {
    try output.finish()
    let place = folder.appending(path: "\(Self.part)/\(Self.partFile)")
    try Self.save(Self.partMetadata(name, now), place)
    let overall = "\(name).overall_export_metadata"
    let list = try RecordWriter(folder.appending(path: overall))
    try list.append(Array("3".utf8))
    try list.append(count == 0 ? [] : Self.overallMetadata(count: count, size: output.size))
    try list.finish()
    return overall
  }

  private static func partMetadata(_ name: String, _ now: Int64) -> [UInt8] {
    var times: [UInt8] = []
    times.append(1, content: Array(name.utf8))
    times.append(2, varint: UInt64(bitPattern: now))
    times.append(3, varint: UInt64(bitPattern: now))
    var files: [UInt8] = []
    files.append(1, content: [])
    files.append(2, content: Array("output-0".utf8))
    var bytes: [UInt8] = []
    bytes.append(1, content: times)
    bytes.append(2, content: files)
    return bytes
  }

  private static func overallMetadata(count: Int, size: Int64) -> [UInt8] {
    var form: [UInt8] = []
    form.append(1, varint: 2)
    form.append(3, varint: 3)
    var entry: [UInt8] = []
    entry.append(1, content: form)
    entry.append(2, content: Array("\(part)/\(partFile)".utf8))
    entry.append(3, varint: UInt64(clamping: count))
    entry.append(4, varint: UInt64(clamping: size))
    var bytes: [UInt8] = []
    bytes.append(1, content: entry)
    return bytes
  }

  private static func save(_ bytes: [UInt8], _ url: URL) throws(ExportProblem) {
    try ExportProblem.naming(url.path) {
      let file = try OpenFile(creating: url)
      try file.append(Data(bytes))
      try file.synchronize()
    }
  }
}
