#if !os(Windows)
  import Foundation
  import TenonTransportInterop

  extension Misbehavior {
    /// Responses without an end. The server sends until the client closes the connection.
    static var endless: [Misbehavior] {
      /// Returns a response that begins with bytes and goes on with others, again and again.
      func forever(
        _ name: String, _ expected: Outcome, streamed: Outcome? = nil,
        _ start: @escaping @Sendable (Response) -> Data, _ part: @escaping @Sendable (Int) -> String
      ) -> Misbehavior {
        Misbehavior(name, expected, streamed: streamed) { connection, response in
          guard connection.write(start(response)) else { return false }
          var count = 0
          while connection.write(part(count)) { count += 1 }
          return false
        }
      }
      /// Returns a response that begins with bytes and goes on with one byte at a time, which is slower than
      /// any deadline.
      func trickle(
        _ name: String, _ start: @escaping @Sendable (Response) -> Data, _ part: String
      ) -> Misbehavior {
        Misbehavior(name, .deadline) { connection, response in
          guard connection.write(start(response)) else { return false }
          while connection.write(part) { usleep(5_000) }
          return false
        }
      }
      let text = String(repeating: "a", count: 16 << 10)
      let status = Data("HTTP/1.1 200 OK\r\n".utf8)
      let chunked = status + "Transfer-Encoding: chunked\r\n\r\n"
      return [
        forever(
          "endless-status-line", .error(.invalidResponse, .headerLineBytes),
          { _ in Data("HTTP/1.1 200 ".utf8) }
        ) { _ in text },
        forever("endless-header-line", .error(.invalidResponse, .headerLineBytes), { _ in status + "X: " }) {
          _ in
          text
        },
        forever("endless-header-name", .error(.invalidResponse, .headerLineBytes), { _ in status }) { _ in
          text
        },
        forever("endless-header-fields", .error(.invalidResponse, .headerCount), { _ in status }) {
          "X-\($0): b\r\n"
        },
        forever("endless-large-fields", .error(.invalidResponse, .headerBytes), { _ in status }) {
          "X-\($0): \(text.prefix(8_000))\r\n"
        },
        forever("endless-folded-field", .error(.invalidResponse, .headerBytes), { _ in status + "X: a\r\n" })
        { _ in
          " \(text.prefix(1_000))\r\n"
        },
        forever("endless-interim-responses", .error(.invalidResponse, .interimResponses), { _ in Data() }) {
          _ in
          "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        },
        forever(
          "endless-interim-head", .error(.invalidResponse, .headerCount),
          { _ in Data("HTTP/1.1 100 Continue\r\n".utf8) }
        ) { "X-\($0): b\r\n" },
        forever(
          "endless-body", .error(.invalidResponse, .bodyBytes), streamed: .deadline, { $0.head("") }
        ) { _ in text },
        forever(
          "endless-chunks", .error(.invalidResponse, .bodyBytes), streamed: .deadline,
          { $0.head("Transfer-Encoding: chunked\r\n") }
        ) { _ in "4000\r\n\(text)\r\n" },
        forever("endless-chunk-extension", .deadline, { _ in chunked + "5;" }) { _ in text },
        forever(
          "endless-trailer-fields", .error(.invalidResponse, .trailers),
          { _ in chunked + "5\r\nhello\r\n0\r\n" }
        ) {
          "X-\($0): b\r\n"
        },
        forever(
          "endless-trailer-line", .error(.invalidResponse, .trailers),
          { _ in chunked + "5\r\nhello\r\n0\r\nX: " }
        ) {
          _ in text
        },
        trickle("slow-header-fields", { _ in status }, "X"),
        trickle("slow-body", { $0.head("Content-Length: 1000000\r\n") }, "a"),
        trickle("slow-chunks", { $0.head("Transfer-Encoding: chunked\r\n") }, "1\r\na\r\n"),
      ]
    }

    /// Redirects that have no end or no acceptable target.
    static var redirects: [Misbehavior] {
      /// Returns a redirect, on a connection that remains open.
      func redirect(
        _ name: String, _ expected: Outcome, _ location: String?, status: Int = 303
      ) -> Misbehavior {
        Misbehavior(name, expected) { connection, _ in
          let field = location.map { "Location: \($0)\r\n" } ?? ""
          return connection.write("HTTP/1.1 \(status) Moved\r\n\(field)Content-Length: 0\r\n\r\n")
        }
      }
      return [
        redirect("redirect-to-itself", .error(.invalidResponse, .redirects), "?"),
        Misbehavior("redirects-without-end", .error(.invalidResponse, .redirects)) { connection, _ in
          connection.write(
            "HTTP/1.1 303 Moved\r\nLocation: /\(UInt64.random(in: .min ... .max))\r\nContent-Length: 5\r\n\r\nmoved"
          )
        },
        redirect("redirect-without-target", .other(303), nil),
        redirect("redirect-to-an-empty-target", .error(.invalidResponse), ""),
        redirect("redirect-to-a-file", .error(.invalidResponse), "file:///etc/passwd"),
        redirect("redirect-to-nowhere", .error(.invalidResponse), "https://"),
        // Port 1 is reserved (RFC 6335), and plain text may not leave this machine.
        redirect("redirect-to-a-closed-port", .error(.unreachable), "http://127.0.0.1:1/"),
        redirect("redirect-to-another-machine", .error(.invalidRequest), "http://192.0.2.1/"),
        redirect(
          "redirect-to-a-long-target", .error(.invalidResponse, .headerLineBytes),
          "/\(String(repeating: "a", count: 20_000))"),
      ]
    }

    /// Content codings that are damaged, weren't requested or expand without end.
    static var codings: [Misbehavior] {
      /// Returns a response with a coded body.
      func coded(
        _ name: String, _ expected: Outcome, _ coding: String, _ body: @escaping @Sendable (Data) -> Data
      ) -> Misbehavior {
        .sends(name, expected) {
          let body = body($0.body)
          return $0.head("Content-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n") + body
        }
      }
      return [
        coded("gzip", .correct, "gzip") { gzip($0) },
        coded("gzip-in-two-streams", .correct, "X-GZIP") {
          gzip($0.prefix($0.count / 2)) + gzip($0.dropFirst($0.count / 2)) + Data(count: 8)
        },
        coded("gzip-truncated", .error(.invalidResponse), "gzip") { gzip($0).dropLast(9) },
        coded("gzip-without-checksum", .error(.invalidResponse), "gzip") { gzip($0).dropLast(8) },
        coded("gzip-with-wrong-checksum", .error(.invalidResponse), "gzip") {
          var bytes = gzip($0)
          bytes[bytes.count - 6] ^= 1
          return bytes
        },
        coded("gzip-with-garbage", .error(.invalidResponse), "gzip") { gzip($0) + "garbage" },
        coded("gzip-of-plain-text", .error(.invalidResponse), "gzip") { $0 + "plain text" },
        coded("gzip-bomb", .error(.invalidResponse, .decompressionRatio), "gzip") { _ in
          Data((0..<400).flatMap { _ in zeros })
        },
        coded("deflate-of-plain-text", .error(.invalidResponse), "deflate") { $0 + "plain text" },
        coded("gzip-twice", .error(.invalidResponse), "gzip, gzip") { gzip(gzip($0)) },
        coded("brotli-bomb", .error(.invalidResponse), "br") { _ in brotli },
        coded("zstd-bomb", .error(.invalidResponse), "zstd") { _ in zstd },
        coded("zstd-truncated", .error(.invalidResponse), "zstd") { _ in zstd.dropLast(5) },
        coded("compress", .error(.invalidResponse), "compress") { $0 },
        coded("unknown-coding", .error(.invalidResponse), "x-any") { $0 },
        coded("identity", .correct, "identity") { $0 },
      ]
    }

    /// 64 KiB of zeros in 96 bytes, in gzip.
    private static let zeros = Data(
      base64Encoded:
        "H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAauuOl9cAAAEA"
    )!
    /// 16 MiB of zeros in 27 bytes, in Brotli (RFC 7932).
    private static let brotli = Data(base64Encoded: "y///P/gnAOKxQCD3/i/////wTwDEYRGA7v0f")!
    /// 1 MiB of zeros in 50 bytes, in Zstandard (RFC 8878).
    private static let zstd = Data(
      base64Encoded: "KLUv/QRoTAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACABAAAwAQAPE+FuE=")!

    /// Returns bytes in gzip (RFC 1952), uncompressed: in stored blocks of deflate (RFC 1951, section 3.2.4).
    static func gzip(_ bytes: Data) -> Data {
      var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
      /// Appends a number with the least significant byte first.
      func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
      }
      var rest = bytes[...]
      repeat {
        let block = rest.prefix(0xFFFF)
        rest = rest.dropFirst(block.count)
        result.append(rest.isEmpty ? 1 : 0)
        append(UInt16(block.count))
        append(~UInt16(block.count))
        result.append(contentsOf: block)
      } while !rest.isEmpty
      var checksum = ~UInt32(0)
      for byte in bytes {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
      }
      append(~checksum)
      append(UInt32(truncatingIfNeeded: bytes.count))
      return result
    }
  }
#endif
