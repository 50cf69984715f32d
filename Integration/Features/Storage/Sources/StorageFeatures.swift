package import IntegrationReport
package import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonStorage

/// What Storage does on the embedded backend, tried out in the same way in every combination of products.
package enum StorageFeatures {
  /// Stores objects in an app, and returns what the backend accepted.
  ///
  /// - Parameter session: signs users in; `nil` without Auth.
  package static func tried(in app: App, session: UserSession? = nil) async throws -> IntegrationReport {
    let embedded = try Embedded.embedded(app: app)
    let storage = try Storage.storage(app: app)
    let objects = try await transfers(in: storage)

    let note = storage.reference(withPath: "notes/tea.txt")
    embedded.settings.objectsRequireSignIn = true
    let anonymous = try await attempt { try await note.putDataAsync(Data("tea".utf8)) }
    var signedIn = UserSession.missing
    if let session {
      _ = try await session.signIn()
      signedIn = try await attempt { try await note.putDataAsync(Data("tea".utf8)) }
      try await session.signOut()
    }
    embedded.settings.objectsRequireSignIn = false

    embedded.settings.appCheckRequired = [.auth, .storage]
    let enforced = try await attempt { try await note.putDataAsync(Data("tea".utf8)) }
    return IntegrationReport(
      graph: app.graph,
      features: [
        .init("Objects without access rules", objects),
        .init("Upload without a user where one is required", anonymous),
        .init("Upload of a signed-in user where one is required", signedIn),
        .init("Where App Check is enforced", enforced),
      ])
  }

  /// Uploads, lists, downloads and deletes an object, and returns what worked.
  private static func transfers(in storage: Storage) async throws -> String {
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    let photo = storage.reference(withPath: "photos/tea.jpg")
    let metadata = try await photo.putDataAsync(content, metadata: StorageMetadata(contentType: "image/jpeg"))
    let listed = try await storage.reference(withPath: "photos").listAll().items
    let copy = try await photo.data()
    try await photo.delete()
    let left = try await storage.reference(withPath: "photos").listAll().items
    let steps = [
      ("uploaded", metadata.size == 300_000 && metadata.contentType == "image/jpeg"),
      ("listed", listed == [photo]), ("downloaded", copy == content), ("deleted", left.isEmpty),
    ]
    return steps.map { $1 ? $0 : "not \($0)" }.joined(separator: ", ")
  }

  /// Makes a request, and returns whether the backend accepted it.
  private static func attempt<Result>(_ request: () async throws -> Result) async throws -> String {
    do {
      _ = try await request()
      return "accepted"
    } catch let error as StorageError {
      return "rejected (`\(error.code.rawValue)`)"
    }
  }
}
