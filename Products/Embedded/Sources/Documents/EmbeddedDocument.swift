import TenonDocuments
public import TenonStoreInterop

/// A document of the embedded backend, for ``EmbeddedDocuments/list(_:)``.
public struct EmbeddedDocument: Sendable, Hashable {
  /// The path, for example `rooms/den`.
  public let path: String
  /// The ID, which is the last part of the path.
  public let id: String
  /// The fields.
  public let fields: Fields
  /// The time at which the document was created.
  public let createTime: Timestamp
  /// The time at which the document was last updated.
  public let updateTime: Timestamp

  /// Creates a document from its state; `nil` if it doesn't exist.
  init?(_ state: RemoteDocument) {
    guard let fields = state.fields, let createTime = state.createTime else { return nil }
    path = state.path.text
    id = state.path.id
    self.fields = fields
    self.createTime = createTime
    updateTime = state.updateTime
  }
}
