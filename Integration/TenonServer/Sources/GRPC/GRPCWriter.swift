import NIOCore
import NIOHPACK
import NIOHTTP2
import TenonFoundation

/// Writes the response of a call: its fields, its messages, and its status.
final class GRPCWriter: Sendable {
  private struct State {
    var hasBegun = false
    var isEnded = false
    /// How the call ended.
    var code: StatusCode?
  }

  private let state = Lock(State())
  private let outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload>
  private let channel: any Channel

  init(_ outbound: NIOAsyncChannelOutboundWriter<HTTP2Frame.FramePayload>, _ channel: any Channel) {
    self.outbound = outbound
    self.channel = channel
  }

  /// How the call ended; `nil` if it hasn't, or was refused.
  var code: StatusCode? { state.withLock { $0.code } }

  /// Writes a message, after waiting until the client has received enough of the earlier ones.
  ///
  /// - Throws: `CancellationError` after the end of the call; the error of the stream.
  func write(_ message: [UInt8]) async throws {
    let isFirst = try begin()
    if isFirst { try await outbound.write(.headers(.init(headers: Self.fields))) }
    var buffer = ByteBuffer()
    buffer.reserveCapacity(5 + message.count)
    buffer.writeInteger(UInt8(0))
    buffer.writeInteger(UInt32(clamping: message.count))
    buffer.writeBytes(message)
    try await outbound.write(.data(.init(data: .byteBuffer(buffer))))
  }

  /// Begins the response.
  ///
  /// - Returns: whether it hadn't begun.
  private func begin() throws -> Bool {
    try state.withLock { state in
      guard !state.isEnded else { throw CancellationError() }
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
  }

  /// Ends the call with a status, if it hasn't ended, and waits until the client has received everything.
  func end(_ status: GRPCStatus) async {
    let isWhole: Bool? = state.withLock { state in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.code = status.code
      return !state.hasBegun
    }
    guard let isWhole else { return }
    var fields = isWhole ? Self.fields : HPACKHeaders()
    status.add(to: &fields)
    try? await channel.writeAndFlush(
      HTTP2Frame.FramePayload.headers(.init(headers: fields, endStream: true))
    ).get()
  }

  /// Refuses a request that isn't a call of gRPC.
  func refuse(_ status: Int, _ message: String) async {
    let isEnded = state.withLock { state in
      defer { state.isEnded = true }
      return state.isEnded
    }
    guard !isEnded else { return }
    let fields: HPACKHeaders = [":status": "\(status)", "content-type": "text/plain; charset=utf-8"]
    try? await outbound.write(.headers(.init(headers: fields)))
    let text = ByteBuffer(string: "\(message)\n")
    try? await channel.writeAndFlush(
      HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(text), endStream: true))
    ).get()
  }

  private static let fields: HPACKHeaders = [
    ":status": "200", "content-type": "application/grpc", "grpc-accept-encoding": "identity",
  ]
}
