import Foundation
import TenonCore

/// The file of a database, which several apps of this process may have open: who writes tells the others at once.
final class DocumentFile: Sendable {
  private struct Member {
    weak var database: DocumentDatabase?
  }

  /// Who has which file open, by its directory without links, so that two ways to it are one.
  private static let members = Lock<[String: [Member]]>([:])
  private let directory: String
  /// The key of the members; `nil` before the file was opened.
  private let key = Lock<String?>(nil)

  /// - Parameter directory: the directory of the file; it needn't exist.
  init(directory: String) { self.directory = directory }

  /// Makes the directory, in which nobody else may enter, and gives the path of the file in it.
  func prepare() throws -> String {
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return "\(directory)/documents.sqlite"
  }

  func join(_ database: DocumentDatabase) {
    let key = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
    self.key.withLock { $0 = key }
    let member = Member(database: database)
    Self.members.withLock { $0[key, default: []].append(member) }
  }

  func leave(_ database: DocumentDatabase) {
    guard let key = key.withLock({ $0 }) else { return }
    Self.members.withLock { members in
      members[key]?.removeAll { $0.database == nil || $0.database === database }
      if members[key]?.isEmpty ?? false { members[key] = nil }
    }
  }

  func tellOthers(than writer: DocumentDatabase) {
    guard let key = key.withLock({ $0 }) else { return }
    let others = Self.members.withLock { $0[key]?.compactMap(\.database) ?? [] }
    for other in others where other !== writer { Task { await other.deliverChanges() } }
  }
}
