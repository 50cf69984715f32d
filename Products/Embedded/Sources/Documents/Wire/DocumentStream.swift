import TenonDocuments
package import TenonFoundation
package import TenonStoreInterop
package import TenonTransportInterop

/// The messages of a client's stream as JSON, whichever protocol carries them.
package protocol DocumentStream: Sendable {
  /// Returns the next message of the client; `nil` if there are no more. Calls don't overlap.
  func next() async -> Data?

  /// Sends a message, after waiting until the client has received enough of the earlier ones.
  ///
  /// - Throws: an error if the stream has ended; `CancellationError`.
  func send(_ payload: Data) async throws
}

extension ChannelSession: DocumentStream {}

/// A call of Firestore's API that is a stream of the client.
package enum DocumentStreamCall: Sendable, Hashable {
  /// Listening to targets.
  case listen
  /// Writing batches.
  case write
}

extension Embedded {
  /// Serves a stream of a client until either side ends it.
  ///
  /// - Parameters:
  ///   - stream: the messages.
  ///   - call: the call.
  ///   - database: the full name of the database.
  ///   - request: a request with the client's credentials.
  /// - Throws: the error that ends the stream.
  package func serve(
    _ stream: some DocumentStream, as call: DocumentStreamCall, database: String, request: TransportRequest
  ) async throws(StoreRemoteError) {
    do {
      let project = (try? DatabaseName(parsing: database))?.project
      let authenticator = documentProjects.authenticator(self.authenticator, for: project)
      try await authenticator.prepare(for: request)
      let caller = try authenticator.admit(request, to: .firestore)
      let streams = try DocumentStreams(documentProjects, database, caller)
      switch call {
      case .listen: try await streams.listen(stream)
      case .write: try await streams.write(stream)
      }
    } catch let error as AuthenticationError {
      throw error.storeError
    } catch {
      throw StoreRemoteError(ofRequest: error)
    }
  }
}
