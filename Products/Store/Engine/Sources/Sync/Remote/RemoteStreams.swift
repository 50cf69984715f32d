package import TenonFoundation
package import TenonStoreInterop

/// The two streams to a remote. Their events are passed to ``RemoteExchange``.
///
/// Opening a stream only begins to connect: success shows in its first event, and failure in its end. An
/// implementation reports the end of each stream once, unless it was closed. ``EngineStreams`` is the
/// implementation; tests supply their own, and produce every order of events.
package protocol RemoteStreams: AnyObject {
  /// The number of batches that may be sent on the write stream before the first of them has been answered.
  var pipelineDepth: Int { get }
  /// Opens the listen stream for a user. Requests may be sent immediately.
  ///
  /// - Parameter user: the user's ID; `nil` if no user is signed in.
  func openListen(for user: String?)
  /// Sends a request on the listen stream. Requests reach the remote in the order in which they are sent.
  func send(_ request: ListenRequest)
  /// Closes the listen stream, if it is open; no further events are passed on.
  func closeListen()
  /// Opens the write stream for a user. Batches may be sent once the `opened` event has been received.
  ///
  /// - Parameters:
  ///   - token: the last stream token of the user; `nil` if there is none.
  ///   - user: the user's ID; `nil` if no user is signed in.
  func openWrite(token: Data?, for user: String?)
  /// Sends a batch on the write stream, without waiting for the answer to the previous one.
  func send(_ batch: RemoteBatch)
  /// Closes the write stream, if it is open; no further events are passed on.
  func closeWrite()
}

extension RemoteStreams {
  /// 10, as in Firestore's clients.
  package var pipelineDepth: Int { 10 }
}
