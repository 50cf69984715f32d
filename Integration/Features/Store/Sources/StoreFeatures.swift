package import IntegrationReport
package import TenonCore
import TenonFoundation
package import TenonStore

/// What Store does, tried out in the same way in every combination of products.
package enum StoreFeatures {
  /// The document that the rules of the backend hide from users.
  package static let secret = "secrets/recipe"

  /// Writes documents in an app, and returns what queries, listeners and a second device saw of them.
  ///
  /// - Parameters:
  ///   - app: the app. If it has a backend, this is in a directory, which the second device shares.
  ///   - session: signs users in; `nil` without Auth.
  ///   - settings: the settings of the database.
  ///   - serverUse: what apps that use a server get.
  ///   - enforceAppCheck: makes the backend reject sign-in without App Check.
  package static func tried(
    in app: App, session: UserSession? = nil, settings: StoreSettings = StoreSettings(),
    onServers serverUse: ServerUse = ServerUse(), enforcingAppCheck enforceAppCheck: () throws -> Void = {}
  ) async throws -> IntegrationReport {
    let store = try Store.store(app: app, settings: settings)
    let seen = try await documents(in: store)
    let isComplete =
      seen.titles == ["first", "second"]
      && seen.changes == ["added first", "added second", "modified second"]

    let userID = try await store.currentUserID
    var (owner, enforced) = (UserSession.missing, UserSession.missing)
    if let session {
      let user = try await session.signIn()
      owner = try await store.currentUserID == user ? "is known to Store" : "is unknown to Store"
      try await session.signOut()
      try enforceAppCheck()
      do {
        _ = try await session.signIn()
        enforced = "accepted"
      } catch { enforced = "rejected" }
    }
    let second = try await secondDevice(of: app, settings: settings)
    var (file, object) = ("", "")
    try await Launch.withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      file = try await backup(of: store, to: .file(URL(filePath: "\(directory)/notes.sqlite")))
      object = try await backup(of: store, to: .storage(path: "backups/notes.sqlite"))
    }
    let administrator = try await administrator(of: app)
    let servers = try await ServerFeatures(serverUse, in: app).tried()
    return IntegrationReport(
      graph: app.graph,
      features: [
        .init("Documents", isComplete ? "written, queried and listened to" : "incomplete"),
        .init("A signed-in user", owner),
        .init("Sign-in where App Check is enforced", enforced),
        .init("A second device", second),
        .init("Backup to a file", file), .init("Backup to Storage", object),
        .init("A document that the rules hide", administrator),
      ] + servers,
      facts: [
        "titles": seen.titles.joined(separator: ", "), "changes": seen.changes.joined(separator: ", "),
        "userID": userID ?? "nobody",
      ])
  }

  /// Writes documents, and returns what a listener and a query saw of them.
  private static func documents(in store: Store) async throws -> (titles: [String], changes: [String]) {
    let notes = store.collection("notes")
    var snapshots = notes.order(by: "rank").snapshots.makeAsyncIterator()
    var seen: [String] = []
    for step in 0..<3 {
      switch step {
      case 0: try await notes.document("n0").setData(["title": "first", "rank": 0])
      case 1: try await notes.document("n1").setData(["title": "second", "rank": 1])
      default: try await notes.document("n1").updateData(["read": true])
      }
      // A snapshot without changes may come before, for example when only the metadata changes.
      while seen.count <= step, let snapshot = try await snapshots.next() {
        seen += snapshot.documentChanges.map {
          "\($0.type) \($0.document.fields["title"]?.stringValue ?? "")"
        }
      }
    }
    let found = try await notes.order(by: "rank").getDocuments().documents
    return (found.compactMap { $0.fields["title"]?.stringValue }, seen)
  }

  /// Makes a backup, deletes a document, restores the backup, and returns what worked.
  private static func backup(of store: Store, to location: BackupLocation) async throws -> String {
    do { try await store.backup(to: location) } catch let error as StoreError where error.code == .unavailable
    {
      let advice = "Link the product TenonStorage"
      return "rejected (`\(error.code.rawValue)`)" + (error.message.contains(advice) ? ": “\(advice)”" : "")
    }
    let note = store.document("notes/n0")
    try await note.delete()
    try await store.restore(from: location)
    return try await note.getDocument(source: .cache).exists ? "written and restored" : "not restored"
  }

  /// Writes and reads a document as an administrator, and returns what worked.
  private static func administrator(of app: App) async throws -> String {
    let store: Store
    do { store = try Store.store(app: app, as: .admin) } catch let error as StoreError {
      let advice = "Link the product TenonAdmin"
      return "rejected (`\(error.code.rawValue)`)" + (error.message.contains(advice) ? ": “\(advice)”" : "")
    }
    try await store.document(secret).setData(["tea": "black"]).confirmed()
    let isRead = try await store.document(secret).getDocument(source: .server).exists
    let user = try Store.store(app: app).document(secret)
    do {
      _ = try await user.getDocument(source: .server)
      return "isn't hidden from users"
    } catch let error as StoreError where error.code == .permissionDenied {
      let isInCache = (try? await user.getDocument(source: .cache).exists) == true
      return isRead && !isInCache
        ? "written and read as an administrator" : "not read, or in the cache of users"
    }
  }

  /// Returns whether another app with the same options sees the documents, as another device of the project.
  private static func secondDevice(of app: App, settings: StoreSettings) async throws -> String {
    try await Store.store(app: app, settings: settings).waitForPendingWrites()
    let other = try App.configure(name: "second-device", options: app.options)
    let note = try Store.store(app: other, settings: settings).document("notes/n0")
    let isSeen = try await note.getDocument(source: .server).exists
    await other.delete()
    return isSeen ? "sees the documents" : "doesn't see them: no backend is linked"
  }
}
