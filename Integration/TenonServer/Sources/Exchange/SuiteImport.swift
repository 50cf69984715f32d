import FirestoreExport
import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransportInterop

/// Imports of what the emulator suite, Google's emulator of documents, or this server has exported.
extension SuiteExchange {
  /// Imports an export.
  ///
  /// - Parameter path: the folder of an export of the suite, or a file `NAME.overall_export_metadata` with
  ///   documents only.
  /// - Returns: a sentence that says what was imported.
  /// - Throws: ``ExportProblem`` for a file that is missing, damaged, or has what the backend doesn't support.
  func load(from path: String) async throws -> String {
    let url = URL(filePath: path).absoluteURL
    guard !path.hasSuffix(".overall_export_metadata") else {
      return "Imported \(try await readDocuments(url, into: "(default)")) documents from \(path)."
    }
    let file = ExportFolder(path).url.appending(path: ExportFolder.metadataFile)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ExportProblem(
        path, "The folder has no \(ExportFolder.metadataFile), so it isn't an export of the emulator suite.")
    }
    let metadata = try Self.load(file)
    var (documents, users) = (0, 0)
    if let list = try Self.place(metadata["firestore"], "metadata_file", "firestore", file) {
      documents += try await readDocuments(list, into: "(default)")
    }
    for entry in metadata["firestoreDatabases"]?.array ?? [] {
      guard let name = entry["database"]?.string,
        let list = try Self.place(entry, "metadata_file", "firestoreDatabases", file)
      else { throw ExportProblem(file.path, "A member of firestoreDatabases names no database.") }
      documents += try await readDocuments(list, into: name)
    }
    if let folder = try Self.place(metadata["auth"], "path", "auth", file) {
      users = try await readUsers(folder)
    }
    if let folder = try Self.place(metadata["storage"], "path", "storage", file) {
      try await readObjects(from: folder)
    }
    let unknown = ["database", "dataconnect"].filter { metadata[$0] != nil }
    let rest =
      unknown.isEmpty
      ? "" : " The data of \(unknown.joined(separator: " and ")) isn't served, and wasn't imported."
    return "Imported \(documents) documents and \(users) users from \(path).\(rest)"
  }

  /// Returns a place in an export that a member of its metadata names; `nil` without the member.
  private static func place(
    _ entry: JSON?, _ member: String, _ part: String, _ file: URL
  ) throws(ExportProblem) -> URL? {
    guard let entry, entry != .null else { return nil }
    let path = entry[member]?.string ?? ""
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { ["", ".", ".."].contains($0) }), !path.utf8.contains(0) else {
      throw ExportProblem(file.path, "\(part).\(member) isn't a path in the folder.")
    }
    return file.deletingLastPathComponent().appending(path: path)
  }

  /// The greatest number and size of the documents of a commit.
  private static let mostDocuments = 500
  private static let mostBytes = 4 << 20

  private func readDocuments(_ list: URL, into database: String) async throws -> Int {
    let source = try DocumentImport(list, into: DatabaseName(project: project, database: database))
    var (count, bytes) = (0, 0)
    var batch: [(ResourcePath, Fields)] = []
    while true {
      let next = try source.next()
      if let next {
        batch.append((next.document.path, next.document.fields))
        bytes += next.size
        guard batch.count >= Self.mostDocuments || bytes >= Self.mostBytes else { continue }
      }
      do { try await embedded.write(batch, in: database) } catch let error as StoreRemoteError {
        let range = batch.count == 1 ? "" : " to \(batch.last?.0.text ?? "")"
        throw ExportProblem(list.path, "\(batch.first?.0.text ?? "")\(range): \(error.message)")
      }
      count += batch.count
      (batch, bytes) = ([], 0)
      if next == nil { return count }
    }
  }

  private func readUsers(_ folder: URL) async throws -> Int {
    let config = folder.appending(path: "config.json")
    if FileManager.default.fileExists(atPath: config.path) {
      let json = try Self.load(config)
      // The settings that the backend has; others are those of features that it lacks.
      let known = json.object?.filter { ["signIn", "emailPrivacyConfig"].contains($0.key) } ?? [:]
      try await ExportProblem.named(config.path) {
        _ = try await self.json(.patch, "/emulator/v1/projects/\(project)/config", .object(known))
      }
    }
    let file = folder.appending(path: "accounts.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
    let users = try Self.load(file)["users"]?.array ?? []
    let problems = try await embedded.add(users)
    guard let problem = problems.first else { return users.count }
    let id = users.indices.contains(problem.place) ? users[problem.place]["localId"]?.string ?? "" : ""
    throw ExportProblem(
      file.path,
      "users[\(problem.place)] (\(id)): \(problem.problem) (\(problems.count) users can't be imported.)")
  }
}
