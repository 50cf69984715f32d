/// The limits for what a channel accepts from the other side.
package struct ChannelLimits: Sendable, Hashable {
  /// The maximum size of a frame in bytes. Default: 128 MiB.
  package var frameBytes: Int
  /// The maximum size of a handshake, a failure or an answer to a POST in bytes; these are parsed into trees.
  /// Default: 64 KiB.
  package var controlBytes: Int

  /// Creates limits.
  package init(frameBytes: Int = 128 << 20, controlBytes: Int = 64 << 10) {
    self.frameBytes = frameBytes
    self.controlBytes = controlBytes
  }
}
