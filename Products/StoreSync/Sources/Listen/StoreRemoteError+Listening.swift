import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop
import TenonWebChannel

extension ChannelEnd {
  /// Whether the server may have ended the channel because it had to queue too much for it.
  ///
  /// Google's emulator forgets the session then, as it does when it is restarted: requests are answered with
  /// 400 or 404.
  var mayBeOverload: Bool {
    switch self {
    case .unknownSession, .stopped, .unreachable: true
    case .refused(let status, _): status == 400 || status == 404
    default: false
    }
  }

  /// Whether the server has refused the token.
  var isUnauthenticated: Bool { StoreRemoteError(listening: self).code == .unauthenticated }
}

extension StoreRemoteError {
  /// Creates the error of a stream that has ended.
  ///
  /// Only what the server says itself is permanent. The answers of proxies, and all failures of the network,
  /// are transient, so that the stream is opened again.
  init(listening error: any Error) {
    switch error {
    case let error as StoreRemoteError: self = error
    case let end as ChannelEnd: self.init(end)
    case let error as DocumentError:
      self.init(
        .internal, "The server has sent an event that can't be read: \(error.message)", underlying: error)
    case let error as TransportError:
      self.init(
        error.code == .timedOut ? .deadlineExceeded : .unavailable,
        error.message, underlying: error)
      isUnsent = error.code == .unreachable
    default: self.init(.unknown, "Listening has failed: \(error)", underlying: error)
    }
  }

  /// Creates the error of a channel that has ended.
  private init(_ end: ChannelEnd) {
    switch end {
    case .closed: self.init(.cancelled, "The channel was closed.", underlying: end)
    case .closedByServer, .stopped:
      self.init(.unavailable, "The server has ended the channel. It is opened again.", underlying: end)
    case .failed(let failure):
      self.init(
        Code(name: failure.status) ?? .unknown,
        failure.message.isEmpty ? "The server has ended the channel with an error." : failure.message,
        underlying: end)
    case .unknownSession:
      self.init(
        .unavailable, "The server no longer knows the channel. It is opened again.", underlying: end)
    case .refused(let status, let body): self.init(status: status, body: body)
    case .handshakeTimeout:
      self.init(
        .deadlineExceeded, "The server didn't answer in time when a channel was opened.", underlying: end)
    case .unreachable: self.init(.unavailable, "The connection to Firestore was lost.", underlying: end)
    case .invalid(let error):
      self.init(.internal, "The channel violates the protocol: \(error.message)", underlying: end)
    }
  }

  /// Creates the error of a response whose status isn't 200.
  ///
  /// - Parameters:
  ///   - status: the status of HTTP.
  ///   - body: the body. If it is an error of Firestore, possibly in an array, its status and message are
  ///     used; other bodies, such as the pages of proxies, aren't quoted.
  init(status: Int, body: Data) {
    if let json = try? FirestoreJSON(body), let error = StoreRemoteError(wireError: json) {
      self = error
      return
    }
    let code: Code =
      switch status {
      case 401: .unauthenticated
      case 429: .resourceExhausted
      default: .unavailable
      }
    self.init(
      code,
      "The server has answered with the status \(status). Firestore may be unavailable, or it is another server: "
        + "check the network and the address of the backend.")
  }
}
