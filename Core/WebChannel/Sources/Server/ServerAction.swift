package import TenonFoundation

/// What the driver of a ``ServerSession`` has to do, in the given order.
package enum ServerAction: Sendable, Hashable {
  /// Write bytes to the response of a back channel.
  case write(Data, to: Int)
  /// End the response of a back channel, in an orderly way, after what was written.
  case end(Int)
  /// Pass a message of the client on.
  case deliver(ChannelMessage)
  /// ``ServerSession/wantsMessages`` is true again: the source of messages can continue.
  case wantsMessages
  /// The session has ended: requests with its ID are answered with 400 from now on. No further action
  /// follows.
  case ended(ServerEnd)
}

/// Why a server's session has ended.
package enum ServerEnd: Sendable, Hashable {
  /// The client has terminated it.
  case terminated
  /// The client has received the end that the server sent, or had enough time to do so.
  case closed
  /// The client hasn't sent a request for too long.
  case idle
}

/// The answer to a POST of a channel.
package struct ServerAnswer: Sendable, Hashable {
  /// The body of the response, whose status is 200.
  package let body: Data
  /// What else is to be done.
  package let actions: [ServerAction]
}
