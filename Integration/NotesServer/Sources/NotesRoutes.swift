import Foundation
import Hummingbird
import ServerAdapters
import TenonAdmin
import TenonStorage
import TenonStore

/// A note of a user, as it is stored and sent.
struct Note: Codable, ResponseEncodable, Equatable {
  let id: String
  let text: String
}

/// The notes of the signed-in user and their attachments.
///
/// The server has administrator's rights, so no rule is asked: that users see their own notes only is decided
/// here, by paths that contain the user's ID.
struct NotesRoutes: Sendable {
  let store: Store
  let storage: Storage

  /// What a client sends.
  private struct Draft: Decodable {
    let text: String
  }

  /// An attachment may be this long.
  private static let maximumSize: Int64 = 8 << 20

  func add(to routes: RouterGroup<NotesContext>) {
    routes.post(use: create).get(use: list)
      .put(":id/attachment", use: attach).get(":id/attachment", use: attachment)
  }

  /// The status 201 means that the note is in the server's database; AppService sees to it that it is sent.
  @Sendable private func create(_ request: Request, _ context: NotesContext) async throws
    -> EditedResponse<Note>
  {
    let draft = try await request.decode(as: Draft.self, context: context)
    let document = try notes(context).document()
    let note = Note(id: document.documentID, text: draft.text)
    try await document.setData(from: note)
    return EditedResponse(status: .created, response: note)
  }

  @Sendable private func list(_ request: Request, _ context: NotesContext) async throws -> [Note] {
    try await notes(context).getDocuments().documents.map { try $0.data(as: Note.self) }
  }

  @Sendable private func attach(_ request: Request, _ context: NotesContext) async throws
    -> HTTPResponse.Status
  {
    let size = request.headers[.contentLength].flatMap { Int64($0) }
    guard let size, size <= Self.maximumSize else { throw HTTPError(.contentTooLarge) }
    let chunks = request.body.map { Data($0.readableBytesView) }
    try await object(context).putStreamAsync(chunks, size: size)
    return .noContent
  }

  @Sendable private func attachment(_ request: Request, _ context: NotesContext) async throws -> ByteBuffer {
    do {
      return ByteBuffer(bytes: try await object(context).data(maxSize: Self.maximumSize))
    } catch let error as StorageError where error.code == .objectNotFound {
      throw HTTPError(.notFound)
    }
  }

  private func notes(_ context: NotesContext) throws -> CollectionReference {
    store.collection("users/\(try context.signedIn.uid)/notes")
  }

  private func object(_ context: NotesContext) throws -> StorageReference {
    let id = try context.parameters.require("id")
    guard !id.contains("/") else { throw HTTPError(.badRequest) }
    return storage.reference(withPath: "users/\(try context.signedIn.uid)/\(id)")
  }
}
