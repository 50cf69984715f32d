import NIOCore
import NIOHTTP2
import TenonFoundation

/// Reads the messages of a call: each is five bytes, whether it is compressed and its length, and its content.
struct GRPCMessages {
  private var frames: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator
  private var buffer = ByteBuffer()
  private var isAtEnd = false
  /// The compression that the client has named.
  var encoding = "identity"

  /// The greatest size of a message in bytes, that of a request to Firestore.
  static let longest = 10 << 20

  init(_ frames: NIOAsyncChannelInboundStream<HTTP2Frame.FramePayload>.AsyncIterator) { self.frames = frames }

  /// Returns the fields at the beginning of the call; `nil` if the stream ends before.
  mutating func head() async throws -> HTTP2Frame.FramePayload.Headers? {
    while let frame = try await frames.next(isolation: #isolation) {
      if case .headers(let head) = frame {
        isAtEnd = head.endStream
        return head
      }
    }
    return nil
  }

  /// Returns the next message; `nil` at the end.
  ///
  /// - Throws: ``GRPCStatus``; the error of the stream.
  mutating func next() async throws -> [UInt8]? {
    while true {
      if let message = try message() { return message }
      guard !isAtEnd else {
        guard buffer.readableBytes == 0 else {
          throw GRPCStatus(.internal, "The call ends within a message.")
        }
        return nil
      }
      guard let frame = try await frames.next(isolation: #isolation) else { throw CancellationError() }
      switch frame {
      case .data(let data):
        if case .byteBuffer(var piece) = data.data { buffer.writeBuffer(&piece) }
        isAtEnd = data.endStream
      case .headers(let fields): isAtEnd = fields.endStream
      default: break
      }
    }
  }

  private mutating func message() throws(GRPCStatus) -> [UInt8]? {
    guard let flag = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
      let length = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self)
    else { return nil }
    guard flag == 0 else {
      throw GRPCStatus(
        .unimplemented, "The server doesn't decompress messages (\(encoding.prefix(40))). Send identity.")
    }
    guard length <= Self.longest else {
      throw GRPCStatus(.resourceExhausted, "A message has \(length) bytes, and at most \(Self.longest) fit.")
    }
    guard buffer.readableBytes - 5 >= Int(length) else { return nil }
    buffer.moveReaderIndex(forwardBy: 5)
    defer { buffer.discardReadBytes() }
    return buffer.readBytes(length: Int(length))
  }
}
