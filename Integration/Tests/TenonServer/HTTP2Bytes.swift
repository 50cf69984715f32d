import Foundation

/// Frames of HTTP/2 (RFC 9113, section 4), as a client sends them.
enum HTTP2Bytes {
  static let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The types of frames.
  enum Kind: UInt8 {
    case data = 0, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
  }

  static func frame(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> Data {
    let count = payload.count
    let head = [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), kind.rawValue, flags]
    return Data(head + bytes(stream) + payload)
  }

  static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }

  /// The preface and the settings, after which a client may send anything.
  static let opening = preface + frame(.settings)

  /// Fields as literals without an index (RFC 7541, section 6.2.2).
  static func fields(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
    fields.flatMap { name, value in [0] + text(name) + text(value) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var (rest, length) = (bytes.count - 127, [UInt8(127)])
    while rest >= 128 {
      length.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }

  /// The head of a call of a method of Firestore.
  static func call(_ stream: UInt32, _ method: String = "GetDocument", ends: Bool = false) -> Data {
    let fields = fields([
      ":method": "POST", ":scheme": "http", ":path": "/google.firestore.v1.Firestore/\(method)",
      ":authority": "localhost", "content-type": "application/grpc", "te": "trailers",
    ])
    return frame(.headers, flags: ends ? 5 : 4, stream: stream, fields)
  }

  /// The types and the payloads of the frames that a server has sent.
  static func frames(_ data: Data) -> [(kind: UInt8, stream: UInt32, payload: Data)] {
    var (rest, frames) = (data[...], [(kind: UInt8, stream: UInt32, payload: Data)]())
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard rest.count >= 9 + count else { break }
      let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append((head[3], stream, Data(rest.dropFirst(9).prefix(count))))
      rest = rest.dropFirst(9 + count)
    }
    return frames
  }
}
