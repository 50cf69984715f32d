import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The messages of a streaming method as a JSON array, which is encoded piece by piece while it is sent.
final class MessageArray: Sendable {
  /// The documents that haven't been encoded, and how far the text has come.
  private struct State {
    var rest: ArraySlice<RemoteDocument>
    var isEmpty: Bool
    var isEnded = false
  }

  /// The size from which on a piece is sent, in bytes.
  private static let pieceSize = 256 << 10

  private let state: Lock<State>
  private let database: DatabaseName
  /// Creates the message of a document, given whether it is the last one.
  private let message: @Sendable (RemoteDocument, Bool) -> any WireEncodable

  private init(
    _ database: DatabaseName, _ documents: [RemoteDocument], isEmpty: Bool,
    _ message: @escaping @Sendable (RemoteDocument, Bool) -> any WireEncodable
  ) {
    self.database = database
    self.message = message
    state = Lock(State(rest: documents[...], isEmpty: isEmpty))
  }

  /// Returns a response with a message for each document. One that fits into a piece has a known length.
  ///
  /// - Parameters:
  ///   - database: the database.
  ///   - head: the first message, of the transaction that was begun; `nil` for none.
  ///   - last: the last message of a response without documents; `nil` for none.
  ///   - documents: the documents.
  ///   - message: creates the message of a document, given whether it is the last one.
  /// - Throws: `DocumentError` if a value of the first piece has no JSON form.
  ///
  /// It isn't inlined because the optimizer of Swift 6.3 crashes on asynchronous functions that contain it.
  @inline(never) static func response(
    _ database: DatabaseName, head: (any WireEncodable)?, last: (any WireEncodable)? = nil,
    _ documents: [RemoteDocument] = [],
    _ message: @escaping @Sendable (RemoteDocument, Bool) -> any WireEncodable = { document, _ in document }
  ) throws -> TransportStreamingResponse {
    let array = MessageArray(database, documents, isEmpty: head == nil && last == nil, message)
    var text = Data("[".utf8)
    if let head { text += try head.encoded(in: database) }
    if let last {
      if head != nil { text.append(UInt8(ascii: ",")) }
      text += try last.encoded(in: database)
    }
    text += try array.next() ?? Data()
    let isWhole = array.state.withLock { $0.isEnded }
    if isWhole { return TransportStreamingResponse(DocumentService.jsonResponse(text)) }
    let beginning = Lock<Data?>(text)
    return TransportStreamingResponse(
      status: 200, headers: DocumentService.jsonResponse(Data()).headers,
      body: AsyncThrowingStream { try beginning.withLock { $0.take() } ?? array.next() })
  }

  /// Encodes the next piece; `nil` after the last one.
  private func next() throws -> Data? {
    try state.withLock { state in
      guard !state.isEnded else { return nil }
      var text = Data()
      while text.count < Self.pieceSize, let document = state.rest.popFirst() {
        if !state.isEmpty { text.append(UInt8(ascii: ",")) }
        state.isEmpty = false
        text += try message(document, state.rest.isEmpty).encoded(in: database)
      }
      if state.rest.isEmpty {
        text.append(UInt8(ascii: "]"))
        state.isEnded = true
      }
      return text
    }
  }
}
