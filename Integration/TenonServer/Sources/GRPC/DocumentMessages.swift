import FirestoreProtobuf
import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The stream of a client, `Listen` or `Write`, whose messages the backend reads and writes as JSON.
actor DocumentMessages: DocumentStream {
  private let method: FirestoreMethod
  private let inbox: GRPCInbox
  private let writer: GRPCWriter
  /// The first message, until the backend has received it.
  private var first: Data?
  /// Why the last message couldn't be read.
  private var failure: GRPCStatus?

  init(_ method: FirestoreMethod, _ inbox: GRPCInbox, _ writer: GRPCWriter) {
    self.method = method
    self.inbox = inbox
    self.writer = writer
  }

  /// Runs the call until the client or the backend ends it.
  ///
  /// - Parameter request: a request with the credentials.
  /// - Throws: ``GRPCStatus`` and other errors, which end the call.
  func run(_ embedded: Embedded, _ request: TransportRequest) async throws {
    guard let first = await next() else {
      if let failure { throw failure }
      return
    }
    guard let database = (try? FirestoreJSON(first))?["database"]?.string else {
      throw GRPCStatus(.invalidArgument, "The first request names no database.")
    }
    self.first = first
    let call: DocumentStreamCall = method == .listen ? .listen : .write
    do throws(StoreRemoteError) {
      try await embedded.serve(self, as: call, database: database, request: request)
    } catch {
      throw failure ?? GRPCStatus(error)
    }
    if let failure { throw failure }
  }

  func next() async -> Data? {
    if let first {
      self.first = nil
      return first
    }
    do {
      guard let message = try await inbox.next() else { return nil }
      return try ProtobufSchema.firestore.json(message, of: method.requestName)
    } catch let error as ProtobufError {
      failure = failure ?? GRPCStatus(.invalidArgument, error.description)
    } catch {
      // The reading is cancelled after an error, too.
      failure = failure ?? GRPCStatus(of: error)
    }
    return nil
  }

  func send(_ payload: Data) async throws { try await writer.write(try method.response(payload)) }
}
