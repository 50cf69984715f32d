package import TenonFoundation

/// What the driver of a ``ClientChannel`` has to do, in the given order.
package enum ClientAction: Sendable, Hashable {
  /// Send a request, and report what becomes of it to ``ClientChannel/receive(_:of:at:)``. The response of a
  /// termination needn't be reported.
  case send(ClientRequest)
  /// Cancel the request with this number. Later reports about it are ignored.
  case cancel(Int)
  /// The handshake has succeeded.
  case opened
  /// Pass a message on. When it has been processed, call ``ClientChannel/consumed(_:at:)``.
  case deliver(ChannelMessage)
  /// The channel has ended. No further action follows. Requests that are still under way were cancelled,
  /// except for the termination.
  case ended(ChannelEnd)
}

/// What becomes of a request of a channel.
package enum ResponseEvent: Sendable, Hashable {
  /// The head of the response.
  ///
  /// - Parameters:
  ///   - status: the status of HTTP.
  ///   - stickySession: the value of the header `X-HTTP-Session-Id`, or `nil`.
  case head(status: Int, stickySession: String?)
  /// Bytes of the response's body, cut anywhere.
  case bytes(Data)
  /// The response has ended as it should.
  case end
  /// The request couldn't be sent, or its response broke off or took too long.
  case failure
}

/// Why a channel has ended.
package enum ChannelEnd: Error, Sendable, Hashable {
  /// ``ClientChannel/close(at:)`` was called.
  case closed
  /// The server has ended the session in an orderly way (`close`).
  case closedByServer
  /// The server has aborted the session (`stop`).
  case stopped
  /// The call has failed; the server says why.
  case failed(ChannelFailure)
  /// The server doesn't know the session (any more). A new channel may succeed.
  case unknownSession
  /// The server has answered with an HTTP status other than 200. The body is cut after 4 KiB, and empty
  /// except for a handshake.
  case refused(status: Int, body: Data)
  /// The server hasn't answered the handshake in time.
  case handshakeTimeout
  /// The network failed, and no attempt is left.
  case unreachable
  /// The server violates the protocol, or a limit.
  case invalid(ChannelError)
}
