import ArgumentParser
import Foundation
import TenonStoreEngine
import TenonStoreInspection

/// The argument that names a database.
struct StoreFileOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The file of a database, or a directory that contains one.", valueName: "file"),
    completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "The file with the key of an encrypted database: its 32 bytes, or these as 64 hexadecimal digits or in Base64.",
      valueName: "file"),
    completion: .file())
  var keyFile: String?

  /// Reads the key; `nil` if none is named.
  func key() throws -> EncryptionKey? { try keyFile.map { try KeyFile(path: $0).key() } }

  /// Runs a closure with the content of the database. Errors are sentences.
  func inspect<Result>(_ body: (StoreInspector) throws -> Result) throws -> Result {
    let (path, key) = (try StoreFileFinder.database(at: file), try key())
    return try describingErrors { try StoreInspector.inspect(path, key: key, body) }
  }

  /// Opens the database for writing.
  func editor() throws -> StoreEditor {
    let (path, key) = (try StoreFileFinder.database(at: file), try key())
    return try describingErrors { try StoreEditor(path, key: key) }
  }
}

/// Runs a closure, and throws the errors of Store without their codes.
func describingErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do { return try body() } catch let error as StoreError { throw CommandError(error) }
}

extension CommandError {
  /// Creates the error for one of Store. One that concerns the key says which option names it.
  init(_ error: StoreError) {
    let hint =
      error.code == .encryptionKey ? " Name the file with its key with --key-file, or leave that out." : ""
    self.init(error.message + hint)
  }
}

/// Finds the database to which a path refers.
enum StoreFileFinder {
  /// The number of files that are searched for databases.
  private static let limit = 100_000
  /// The ends of the names of the files that belong to a database.
  private static let companions = ["-wal", "-walmark", "-shm", "-queue", "-journal"]

  /// Returns the path of a database.
  ///
  /// - Parameter path: the path of the database, of a file beside it, or of a directory with one database at
  ///   any depth.
  /// - Throws: ``CommandError`` if there isn't exactly one.
  static func database(at path: String) throws -> String {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw CommandError(
        "There is no file \(path). Name the file of a database, or a directory that contains one.")
    }
    guard isDirectory.boolValue else {
      // A file beside a database may be named by completing its path.
      let end = companions.first { path.hasSuffix(".sqlite\($0)") }
      return resolved(String(path.dropLast(end?.count ?? 0)))
    }
    let found = databases(in: path)
    guard let database = found.first else {
      throw CommandError(
        "\(path) has no database of Store: a file named default.sqlite or db-ID.sqlite, in AppOptions.data an app's name and "
          + "tenon-store deep.")
    }
    guard found.count == 1 else {
      let names = found.prefix(20).map { "  - \($0)" }.joined(separator: "\n")
      throw CommandError("\(path) has \(found.count) databases. Name one of them:\n\(names)")
    }
    return resolved(database)
  }

  /// Returns the target of a symbolic link, beside which the other files of the database are; other paths
  /// unchanged.
  private static func resolved(_ path: String) -> String {
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    return isLink ? URL(filePath: path).resolvingSymlinksInPath().path : path
  }

  /// Returns the paths of the databases in a directory, sorted.
  private static func databases(in directory: String) -> [String] {
    guard let files = FileManager.default.enumerator(atPath: directory) else { return [] }
    var found: [String] = []
    for case let file as String in files.lazy.prefix(limit) {
      let name = file.split(separator: "/").last ?? ""
      guard name == "default.sqlite" || (name.hasPrefix("db-") && name.hasSuffix(".sqlite")) else { continue }
      found.append(directory.hasSuffix("/") ? directory + file : "\(directory)/\(file)")
    }
    return found.sorted()
  }
}
