import Foundation
import TenonCore

/// The file of a database, which several apps of this process may have open: who writes tells the others at once.
struct DocumentFile: Sendable {
  private struct Member {
    weak var database: DocumentDatabase?
  }

  private static let members = Lock<[String: [Member]]>([:])
  private let directory: String

  /// - Parameter directory: the directory of the file; it needn't exist.
  init(directory: String) { self.directory = directory }

  /// The file's path, in a directory that nobody else may enter.
  func path() throws -> String {
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return "\(directory)/documents.sqlite"
  }

  /// The directory without links, so that two ways to it are one.
  private var key: String { URL(fileURLWithPath: directory).resolvingSymlinksInPath().path }

  func join(_ database: DocumentDatabase) {
    let (key, member) = (key, Member(database: database))
    Self.members.withLock { $0[key, default: []].append(member) }
  }

  func leave(_ database: DocumentDatabase) {
    let key = key
    Self.members.withLock { members in
      members[key]?.removeAll { $0.database == nil || $0.database === database }
      if members[key]?.isEmpty ?? false { members[key] = nil }
    }
  }

  func tellOthers(than writer: DocumentDatabase) {
    let key = key
    let others = Self.members.withLock { $0[key]?.compactMap(\.database) ?? [] }
    for other in others where other !== writer { Task { await other.deliverChanges() } }
  }
}
