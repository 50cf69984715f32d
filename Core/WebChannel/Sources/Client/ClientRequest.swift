package import TenonFoundation

/// A request that a client's channel wants to be sent.
package struct ClientRequest: Sendable, Hashable, CustomStringConvertible {
  /// The number of the request in its channel, which is never used again. A POST that is repeated has a new
  /// one.
  package let number: Int
  /// What the request does. A back channel is a GET, all others are POSTs.
  package let kind: ChannelQuery.Kind
  /// The parameters. The URL is the channel's path with `?` and ``ChannelQuery/encoded``.
  package let query: ChannelQuery
  /// The body, of type `application/x-www-form-urlencoded`; `nil` for a back channel.
  package let body: Data?
  /// A label to put before the name of the host, with a dot, or `nil`. Its characters are letters, digits,
  /// hyphens and dots.
  package let hostPrefix: String?

  /// The kind and the number, without the parameters and the body, which contain credentials.
  package var description: String { "\(kind) \(number)" }
}
