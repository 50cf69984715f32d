import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Whose writes are shown and sent.
extension LocalStore {
  /// Shows the effect of another user's writes in place of that of the present one's.
  func changeUser(to user: String?) throws -> Outcome<Void> {
    try changing(.changeUser) { try showWrites(of: user) }
  }

  /// Makes a user's writes the ones that are shown and sent.
  func showWrites(of user: String?) throws {
    let before = try documentsInBatches(of: self.user)
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in before.union(try documentsInBatches(of: user)) {
      bases.updateValue(try base(of: path), forKey: path)
    }
    try activate(user: user)
    for (path, base) in bases { try refresh(path, on: base) }
  }

  /// The last token of the user's write stream.
  func writeToken() throws -> Data? {
    if case .blob(let token) = try global("token:\(user ?? "")") { token } else { nil }
  }

  func setWriteToken(_ token: Data?) throws {
    try transaction(.saveToken) { try setGlobal("token:\(user ?? "")", .blob(token)) }
  }

  /// The documents that a user's batches concern.
  private func documentsInBatches(of user: String?) throws -> Set<ResourcePath> {
    Set(
      try database.rows(
        "SELECT collection, name FROM batch_documents WHERE user = ?", [.text(user ?? "")]
      ) { try path(of: $0.integer(0)).appending($0.text(1)) })
  }
}
