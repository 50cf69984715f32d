import TenonFoundation

/// Stores a session in the file `session.json`, of mode 0600, in a private directory. Changes are atomic
/// among processes, and durable when ``update(_:)`` returns. A file that others may read becomes private when
/// it is read.
struct FileSessionStore: WatchableSessionStore {
  private let file: PrivateFile

  /// - Parameter directory: an existing private directory.
  init(directory: String) { file = PrivateFile(directory: directory, name: "session.json") }

  var location: String { file.path }

  func load() throws -> Data? { try file.read().map { Data($0) } }

  func update(_ change: (Data?) throws -> Data?) throws {
    try file.update { present in try change(present.get().map { Data($0) }).map { [UInt8]($0) } }
  }

  func setAside() throws { try file.setAside() }

  func noteRemoval(of uid: String) { file.note(uid) }

  func isRemoved(_ uid: String) -> Bool { file.isRemoved(with: uid) }

  func setAside(if condition: (Result<Data?, any Error>) -> Bool) throws {
    try file.setAside { present in condition(present.map { $0.map { Data($0) } }.mapError { $0 }) }
  }
}
