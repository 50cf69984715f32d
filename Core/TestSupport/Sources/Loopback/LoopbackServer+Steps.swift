#if !os(Windows)
  package import Foundation

  extension LoopbackServer.Step {
    /// Returns a complete response with `Content-Length`.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: further header fields, which are sent unchanged and in an unspecified order; none by
    ///     default.
    ///   - body: the body; empty by default.
    package static func answer(_ status: Int, _ fields: [String: String] = [:], _ body: Data = Data()) -> Self
    {
      .bytes(Data((head(status, fields) + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
    }

    /// Returns a complete response with text as its body.
    package static func answer(_ status: Int, _ fields: [String: String], _ body: String) -> Self {
      answer(status, fields, Data(body.utf8))
    }

    /// Returns a complete response with text as its body and without further header fields.
    package static func answer(_ status: Int, _ body: String) -> Self { answer(status, [:], body) }

    /// Returns a redirect with a short body.
    ///
    /// - Parameters:
    ///   - status: the status code, for example 307.
    ///   - location: the value of the field `Location`.
    package static func redirect(_ status: Int, to location: String) -> Self {
      answer(status, ["Location": location], "moved")
    }

    /// Returns the head of a response whose body follows in chunks. See ``chunk(_:)`` and ``lastChunk``.
    ///
    /// - Parameter status: the status code; 200 by default.
    package static func chunkedHead(_ status: Int = 200) -> Self {
      .bytes(Data((head(status, ["Transfer-Encoding": "chunked"]) + "\r\n").utf8))
    }

    /// Returns a chunk of a body (RFC 9112, section 7.1).
    ///
    /// - Parameter text: the content. It must not be empty, because a chunk of size zero ends the body.
    package static func chunk(_ text: String) -> Self {
      .bytes(Data("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8))
    }

    /// Chunks of 16 KiB until the peer closes the connection, at most one per millisecond. See
    /// ``forever(_:)``.
    package static var endlessChunks: Self {
      .forever(Data("4000\r\n".utf8) + Data(repeating: 120, count: 0x4000) + Data("\r\n".utf8))
    }

    /// The end of a chunked body: the chunk of size zero (RFC 9112, section 7.1).
    package static var lastChunk: Self { .bytes(Data("0\r\n\r\n".utf8)) }

    /// Returns a response whose body is shorter than its `Content-Length`. Close the connection after it.
    ///
    /// - Parameters:
    ///   - promised: the value of `Content-Length`, more than the bytes of `sent`.
    ///   - sent: the body, in UTF-8.
    package static func truncated(promised: Int, sent: String) -> Self {
      .bytes(Data((head(200, [:]) + "Content-Length: \(promised)\r\n\r\n\(sent)").utf8))
    }

    /// Returns the status line and the header fields of a response, without the empty line that ends the
    /// head.
    private static func head(_ status: Int, _ fields: [String: String]) -> String {
      fields.reduce("HTTP/1.1 \(status) Status\r\n") { $0 + "\($1.key): \($1.value)\r\n" }
    }
  }

  extension LoopbackServer {
    /// Starts a server that answers every request with a 200, whose fields `X-Method` and `X-Target` and
    /// whose body repeat those of the request.
    ///
    /// - Throws: ``Failure`` if the port can't be opened.
    package static func echo() throws -> LoopbackServer {
      try LoopbackServer { request in
        [.answer(200, ["X-Method": request.method, "X-Target": request.target], request.body)]
      }
    }
  }
#endif
