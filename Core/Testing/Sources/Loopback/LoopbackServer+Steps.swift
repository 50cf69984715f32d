#if !os(Windows)
  package import Foundation

  extension LoopbackServer.Step {
    /// A complete response.
    package static func answer(_ status: Int, _ fields: [String: String] = [:], _ body: Data = Data()) -> Self
    {
      .bytes(Data((head(status, fields) + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
    }

    /// A complete response with a text.
    package static func answer(_ status: Int, _ fields: [String: String], _ body: String) -> Self {
      answer(status, fields, Data(body.utf8))
    }

    /// A complete response with a text and without further header fields.
    package static func answer(_ status: Int, _ body: String) -> Self { answer(status, [:], body) }

    /// A redirect with a short body.
    package static func redirect(_ status: Int, to location: String) -> Self {
      answer(status, ["Location": location], "moved")
    }

    /// The head of a response whose body follows in chunks.
    package static func chunkedHead(_ status: Int = 200) -> Self {
      .bytes(Data((head(status, ["Transfer-Encoding": "chunked"]) + "\r\n").utf8))
    }

    /// A chunk of a body (RFC 9112, section 7.1).
    package static func chunk(_ text: String) -> Self {
      .bytes(Data("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8))
    }

    /// Endless chunks of 16 KiB.
    package static var endlessChunks: Self {
      .forever(Data("4000\r\n".utf8) + Data(repeating: 120, count: 0x4000) + Data("\r\n".utf8))
    }

    /// The end of a chunked body.
    package static var lastChunk: Self { .bytes(Data("0\r\n\r\n".utf8)) }

    /// A response whose `Content-Length` exceeds the body that follows.
    package static func truncated(promised: Int, sent: String) -> Self {
      .bytes(Data((head(200, [:]) + "Content-Length: \(promised)\r\n\r\n\(sent)").utf8))
    }

    /// Returns the status line and the fields of a response.
    private static func head(_ status: Int, _ fields: [String: String]) -> String {
      fields.reduce("HTTP/1.1 \(status) Status\r\n") { $0 + "\($1.key): \($1.value)\r\n" }
    }
  }

  extension LoopbackServer {
    /// Starts a server that answers every request with its own method, target and body.
    package static func echo() throws -> LoopbackServer {
      try LoopbackServer { request in
        [.answer(200, ["X-Method": request.method, "X-Target": request.target], request.body)]
      }
    }
  }
#endif
