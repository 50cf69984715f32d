#if !os(Windows)
  package import Foundation
  package import TenonTransportInterop

  /// Something that no correct server does with a connection, or that is correct but rare, and what a client
  /// must make of it.
  ///
  /// A misbehavior is independent of the protocol above HTTP: it damages whatever response is correct.
  /// ``HostileServer`` plays it. ``all`` is the catalogue, and ``cuts(of:_:)`` ends a response at every byte.
  package struct Misbehavior: Sendable, CustomStringConvertible {
    /// The correct response, which a misbehavior damages.
    package struct Response: Sendable {
      /// The status.
      package var status: Int
      /// The header fields, without those that state the length of the body.
      package var fields: [HTTPHeader]
      /// The body.
      package var body: Data

      /// Creates a response.
      ///
      /// - Parameters:
      ///   - status: the status; 200 by default.
      ///   - fields: the header fields, without those that state the length of the body; none by default.
      ///   - body: the body.
      package init(_ status: Int = 200, _ fields: [HTTPHeader] = [], body: Data) {
        self.status = status
        self.fields = fields
        self.body = body
      }

      /// Creates a response with text as its body.
      package init(_ status: Int = 200, _ body: String) { self.init(status, body: Data(body.utf8)) }

      /// The lines of the header fields with their ends.
      package var lines: String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }

      /// Returns the head with the correct status line, including the empty line.
      ///
      /// - Parameter more: further header lines with their ends.
      package func head(_ more: String) -> Data { head(line: "HTTP/1.1 \(status) Status", more) }

      /// Returns the head with any status line, including the empty line.
      ///
      /// - Parameters:
      ///   - line: the status line without its end.
      ///   - more: further header lines with their ends.
      package func head(line: String, _ more: String) -> Data { Data("\(line)\r\n\(lines)\(more)\r\n".utf8) }

      /// The response with `Content-Length`, as a correct server would send it.
      package var sized: Data { head("Content-Length: \(body.count)\r\n") + body }

      /// The response in chunks of two halves, one with an extension, and with a trailer field.
      package var chunked: Data {
        let half = body.count / 2
        return head("Transfer-Encoding: chunked\r\n") + Self.chunk(body.prefix(half), "; name=\"value\"")
          + Self.chunk(body.dropFirst(half)) + Data("0\r\nX-Trailer: value\r\n\r\n".utf8)
      }

      /// Returns a chunk (RFC 9112, section 7.1); nothing if the content is empty, because that would end the
      /// body.
      ///
      /// - Parameters:
      ///   - content: the content.
      ///   - extensions: what follows the size; empty by default.
      package static func chunk(_ content: Data, _ extensions: String = "") -> Data {
        guard !content.isEmpty else { return Data() }
        return Data("\(String(content.count, radix: 16))\(extensions)\r\n".utf8) + content + Data("\r\n".utf8)
      }
    }

    /// What a client must make of a misbehavior.
    package enum Outcome: Sendable, Equatable {
      /// The correct response.
      case correct
      /// A response with the status, and possibly another body.
      case other(Int)
      /// An error of the transport with its code and the limit that was exceeded.
      case error(TransportError.Code, TransportError.Limit? = nil)
      /// One of two errors. Which one depends on what the system reports first.
      case either(TransportError.Code, TransportError.Code)
      /// An error when the client's deadline passes. The server does nothing that would end the exchange
      /// before.
      case deadline
    }

    /// The name, which is unique within the catalogue, for example `content-length-negative`.
    package let name: String
    /// The outcome for a client that waits for the complete response.
    package let expected: Outcome
    /// The outcome for a client that reads the response piece by piece to its end. Such a client limits the
    /// body itself.
    package let expectedOfStream: Outcome
    /// Whether the server reads a request before it plays.
    let readsRequest: Bool
    /// Plays on a connection, and returns whether the server goes on with it. If not, it closes the
    /// connection.
    let play: @Sendable (RawServer.Connection, Response) -> Bool

    /// The same as ``name``.
    package var description: String { name }

    /// Creates a misbehavior with any course of events.
    ///
    /// - Parameters:
    ///   - name: a unique name.
    ///   - expected: the outcome for a client that waits for the complete response.
    ///   - expectedOfStream: the outcome for a client that reads it piece by piece; by default the same.
    ///   - readsRequest: whether the server reads a request before it plays; `true` by default.
    ///   - play: plays on a connection, and returns whether the server goes on with it. It runs on the thread
    ///     of the connection and may block.
    package init(
      _ name: String, _ expected: Outcome, streamed expectedOfStream: Outcome? = nil,
      readsRequest: Bool = true,
      play: @escaping @Sendable (RawServer.Connection, Response) -> Bool
    ) {
      self.name = name
      self.expected = expected
      self.expectedOfStream = expectedOfStream ?? expected
      self.readsRequest = readsRequest
      self.play = play
    }

    /// Returns a misbehavior that consists of sending some bytes and closing the connection.
    ///
    /// - Parameters:
    ///   - name: a unique name.
    ///   - expected: the outcome for a client that waits for the complete response.
    ///   - expectedOfStream: the outcome for a client that reads it piece by piece; by default the same.
    ///   - bytes: returns the bytes for a correct response.
    package static func sends(
      _ name: String, _ expected: Outcome, streamed expectedOfStream: Outcome? = nil,
      _ bytes: @escaping @Sendable (Response) -> Data
    ) -> Misbehavior {
      Misbehavior(name, expected, streamed: expectedOfStream) { connection, response in
        connection.write(bytes(response))
        return false
      }
    }

    /// All misbehaviors, except for those of ``cuts(of:_:)``, which depend on the response.
    package static var all: [Misbehavior] {
      lengths + chunks + versions + statuses + heads + endless + redirects + codings + silences + orders
        + resets
    }
  }

  extension Data {
    /// Appends text in UTF-8.
    static func + (data: Data, text: String) -> Data { data + Data(text.utf8) }
  }
#endif
