#if !os(Windows)
  import Foundation
  import TenonTransportInterop

  extension Misbehavior {
    /// Wrong lengths of the body.
    static var lengths: [Misbehavior] {
      /// Returns a response with other header lines than `Content-Length` with the correct value.
      func stating(
        _ name: String, _ expected: Outcome, streamed: Outcome? = nil,
        _ lines: @escaping @Sendable (Int) -> String
      ) -> Misbehavior {
        .sends(name, expected, streamed: streamed) { $0.head(lines($0.body.count)) + $0.body }
      }
      return [
        stating("length-too-long", .error(.connectionLost)) { "Content-Length: \($0 + 1)\r\n" },
        stating("length-too-short", .other(200)) { "Content-Length: \($0 / 2)\r\n" },
        stating("length-zero", .other(200)) { _ in "Content-Length: 0\r\n" },
        stating("length-twice", .error(.invalidResponse)) {
          "Content-Length: \($0)\r\nContent-Length: \($0)\r\n"
        },
        stating("length-contradictory", .error(.invalidResponse)) {
          "Content-Length: \($0)\r\nContent-Length: \($0 - 1)\r\n"
        },
        stating("length-list", .error(.invalidResponse)) { "Content-Length: \($0), \($0)\r\n" },
        stating("length-negative", .error(.invalidResponse)) { "Content-Length: -\($0)\r\n" },
        stating("length-with-plus", .error(.invalidResponse)) { "Content-Length: +\($0)\r\n" },
        stating("length-hexadecimal", .error(.invalidResponse)) {
          "Content-Length: 0x\(String($0, radix: 16))\r\n"
        },
        stating("length-fractional", .error(.invalidResponse)) { "Content-Length: \($0).0\r\n" },
        stating("length-empty", .error(.invalidResponse)) { _ in "Content-Length: \r\n" },
        stating("length-text", .error(.invalidResponse)) { _ in "Content-Length: many\r\n" },
        stating("length-of-65-bits", .error(.invalidResponse)) { _ in
          "Content-Length: 36893488147419103232\r\n"
        },
        stating("length-huge", .error(.invalidResponse, .bodyBytes), streamed: .error(.connectionLost)) { _ in
          "Content-Length: 9223372036854775807\r\n"
        },
        stating("length-with-zeros", .correct) { "Content-Length: 000000000000000000000\($0)\r\n" },
        stating("length-missing", .correct) { _ in "" },
        .sends("length-and-chunked", .error(.invalidResponse)) {
          $0.head("Content-Length: \($0.body.count)\r\nTransfer-Encoding: chunked\r\n")
            + Response.chunk($0.body)
            + "0\r\n\r\n"
        },
        .sends("chunked-and-length", .error(.invalidResponse)) {
          $0.head("Transfer-Encoding: chunked\r\nContent-Length: \($0.body.count)\r\n")
            + Response.chunk($0.body)
            + "0\r\n\r\n"
        },
        .sends("body-of-204", .other(204)) {
          $0.head(line: "HTTP/1.1 204 No Content", "Content-Length: \($0.body.count)\r\n") + $0.body
        },
        .sends("body-of-304", .other(304)) {
          $0.head(line: "HTTP/1.1 304 Not Modified", "Content-Length: \($0.body.count)\r\n") + $0.body
        },
      ]
    }

    /// Wrong and unusual chunks.
    static var chunks: [Misbehavior] {
      /// Returns a response in chunks whose bytes a closure makes.
      func chunked(
        _ name: String, _ expected: Outcome, _ bytes: @escaping @Sendable (Data) -> Data
      ) -> Misbehavior {
        .sends(name, expected) { $0.head("Transfer-Encoding: chunked\r\n") + bytes($0.body) }
      }
      /// Returns a response with another text as the size of its only chunk.
      func size(_ name: String, _ expected: Outcome, _ size: @escaping @Sendable (Int) -> String)
        -> Misbehavior
      {
        chunked(name, expected) { Data("\(size($0.count))\r\n".utf8) + $0 + "\r\n0\r\n\r\n" }
      }
      /// Returns a response with other text behind the last chunk.
      func trailers(_ name: String, _ expected: Outcome, _ lines: String) -> Misbehavior {
        chunked(name, expected) { Response.chunk($0) + "0\r\n\(lines)\r\n" }
      }
      return [
        .sends("chunk-extension", .correct) { $0.chunked },
        size("chunk-size-with-zeros", .correct) { "000\(String($0, radix: 16))" },
        size("chunk-size-upper-case", .correct) { String($0, radix: 16, uppercase: true) },
        size("chunk-size-text", .error(.invalidResponse)) { _ in "zz" },
        size("chunk-size-negative", .error(.invalidResponse)) { "-\(String($0, radix: 16))" },
        size("chunk-size-prefixed", .error(.invalidResponse)) { "0x\(String($0, radix: 16))" },
        size("chunk-size-empty", .error(.invalidResponse)) { _ in "" },
        size("chunk-size-of-80-bits", .error(.invalidResponse)) { _ in "FFFFFFFFFFFFFFFFFFFF" },
        size("chunk-too-long", .error(.connectionLost)) { String($0 + 4_096, radix: 16) },
        chunked("chunk-too-short", .error(.invalidResponse)) {
          Data("\(String($0.count / 2, radix: 16))\r\n".utf8) + $0 + "\r\n0\r\n\r\n"
        },
        chunked("chunk-without-line-end", .error(.invalidResponse)) {
          Data("\(String($0.count, radix: 16))\r\n".utf8) + $0 + "0\r\n\r\n"
        },
        chunked("chunk-missing-last", .error(.connectionLost)) { Response.chunk($0) },
        chunked("chunks-of-one-byte", .correct) { body in
          body.reduce(into: Data()) { $0 += Response.chunk(Data([$1])) } + "0\r\n\r\n"
        },
        trailers("trailer-field", .correct, "X-Trailer: value\r\n"),
        trailers(
          "trailer-fields-too-many", .error(.invalidResponse, .trailers),
          (0..<1_000).map { "X-\($0): b\r\n" }.joined()),
        trailers(
          "trailer-fields-too-large", .error(.invalidResponse, .trailers),
          (0..<40).map { "X-\($0): \(String(repeating: "b", count: 3_000))\r\n" }.joined()),
        trailers(
          "trailer-line-too-long", .error(.invalidResponse, .trailers),
          "X-\(String(repeating: "a", count: 20_000)): b\r\n"),
        trailers("trailer-with-control-characters", .error(.invalidResponse), "X-Trailer: a\u{1B}[0m\r\n"),
        chunked("body-not-chunked", .error(.invalidResponse)) { $0 },
      ]
    }
  }
#endif
