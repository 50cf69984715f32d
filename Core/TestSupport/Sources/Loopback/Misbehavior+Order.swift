#if !os(Windows)
  import Foundation
  import TenonTransportInterop

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  extension Misbehavior {
    /// Silence at every stage: the server sends a part of the response and then nothing, and doesn't close
    /// the connection.
    static var silences: [Misbehavior] {
      /// Returns a response that stops in the middle.
      func silent(_ name: String, _ part: @escaping @Sendable (Response) -> Data) -> Misbehavior {
        Misbehavior(name, .deadline) { connection, response in
          connection.write(part(response))
          connection.drain()
          return false
        }
      }
      return [
        Misbehavior("silence-before-reading", .deadline, readsRequest: false) { connection, _ in
          connection.drain()
          return false
        },
        silent("silence-instead-of-a-response") { _ in Data() },
        silent("silence-in-the-status-line") { _ in Data("HTTP/1.1 2".utf8) },
        silent("silence-behind-the-status-line") { _ in Data("HTTP/1.1 200 OK\r\n".utf8) },
        silent("silence-in-a-header-field") { _ in Data("HTTP/1.1 200 OK\r\nContent-Le".utf8) },
        silent("silence-behind-an-interim-response") { _ in Data("HTTP/1.1 100 Continue\r\n\r\n".utf8) },
        silent("silence-before-the-body") { $0.head("Content-Length: \($0.body.count)\r\n") },
        silent("silence-in-the-body") { $0.sized.dropLast(1) },
        silent("silence-in-a-chunk-size") { $0.head("Transfer-Encoding: chunked\r\n") + "1" },
        silent("silence-in-a-chunk") {
          $0.head("Transfer-Encoding: chunked\r\n") + "ff\r\n" + $0.body.prefix(1)
        },
        silent("silence-before-the-last-chunk") {
          $0.head("Transfer-Encoding: chunked\r\n") + Response.chunk($0.body)
        },
        silent("silence-in-the-trailers") {
          $0.head("Transfer-Encoding: chunked\r\n") + Response.chunk($0.body) + "0\r\nX-Tr"
        },
        silent("silence-behind-a-body-without-length") { $0.head("") + $0.body },
      ]
    }

    /// Too many responses, and responses at the wrong time.
    static var orders: [Misbehavior] {
      let evil = Response(200, "{\"evil\": true}").sized
      return [
        .sends("interim-responses", .correct) {
          Data("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8) + $0.sized
        },
        .sends("interim-response-with-length", .correct) {
          Data("HTTP/1.1 102 Processing\r\nContent-Length: 5\r\n\r\n".utf8) + $0.sized
        },
        .sends("response-twice", .correct) { $0.sized + evil },
        Misbehavior("response-twice-and-open", .correct) { connection, response in
          connection.write(response.sized + evil)
        },
        Misbehavior("response-with-garbage-and-open", .correct) { connection, response in
          connection.write(response.sized + "garbage")
        },
        .sends("response-with-garbage-behind-chunks", .correct) { $0.chunked + "garbage" },
        Misbehavior("response-in-single-bytes", .correct) { connection, response in
          for byte in response.sized where !connection.write(Data([byte])) { return false }
          return false
        },
        Misbehavior("response-then-half-closed", .correct) { connection, response in
          connection.write(response.sized)
          connection.finish()
          connection.drain()
          return false
        },
        Misbehavior("half-closed-without-response", .error(.connectionLost)) { connection, _ in
          connection.finish()
          connection.drain()
          return false
        },
        Misbehavior("response-without-reading", .other(413), readsRequest: false) { connection, _ in
          connection.write("HTTP/1.1 413 Too large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
          connection.drain()
          return false
        },
        Misbehavior("closed-at-once", .either(.connectionLost, .unreachable), readsRequest: false) { _, _ in
          false
        },
        Misbehavior("closed-without-response", .error(.connectionLost)) { _, _ in false },
      ]
    }

    /// Connections that the server resets (RFC 9293, section 3.5.2).
    static var resets: [Misbehavior] {
      /// Returns a response with a reset behind a part of it.
      func reset(_ name: String, _ part: @escaping @Sendable (Response) -> Data) -> Misbehavior {
        Misbehavior(name, .error(.connectionLost)) { connection, response in
          connection.write(part(response))
          connection.resetWhenClosed()
          return false
        }
      }
      return [
        Misbehavior("reset-at-once", .either(.connectionLost, .unreachable), readsRequest: false) {
          connection, _ in
          connection.resetWhenClosed()
          return false
        },
        reset("reset-instead-of-a-response") { _ in Data() },
        reset("reset-in-the-status-line") { _ in Data("HTTP/1.1 2".utf8) },
        reset("reset-in-the-head") { _ in Data("HTTP/1.1 200 OK\r\nX-Any".utf8) },
        reset("reset-in-the-body") { $0.sized.dropLast(1) },
        reset("reset-in-a-chunk") { $0.head("Transfer-Encoding: chunked\r\n") + "ff\r\na" },
      ]
    }

    /// The form in which a response is sent before it is cut.
    package enum Form: String, CaseIterable, Sendable {
      /// With `Content-Length`.
      case sized
      /// In chunks, with an extension and a trailer field.
      case chunked
      /// With `Content-Length`, behind an interim response.
      case interim

      /// Returns the bytes of a response.
      func bytes(_ response: Response) -> Data {
        switch self {
        case .sized: response.sized
        case .chunked: response.chunked
        case .interim: Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8) + response.sized
        }
      }
    }

    /// Returns misbehaviors that close the connection within a response: one for every byte of the head and
    /// of what follows the body, and for `positions` bytes of the body, which are evenly distributed.
    ///
    /// The last byte, a line feed behind everything else, is never the one that is missing.
    ///
    /// - Parameters:
    ///   - response: the correct response.
    ///   - form: the form in which it is sent.
    ///   - positions: the maximum number of positions within the body.
    package static func cuts(
      of response: Response, _ form: Form, positions: Int = 64
    ) -> [Misbehavior] {
      var inner = response
      inner.body = Data()
      let (whole, head) = (form.bytes(response).count, form.bytes(inner).count)
      // What follows the body of a chunked response is 30 bytes long.
      let (start, end) = form == .chunked ? (head - 24, whole - 30) : (head, whole)
      let step = max(1, (end - start) / max(1, positions))
      let kept = (0..<(whole - 1)).filter { $0 < start + 8 || $0 >= end || ($0 - start).isMultiple(of: step) }
      return kept.map { count in
        .sends("cut-\(form.rawValue)-\(count)-of-\(whole)", .error(.connectionLost)) {
          form.bytes($0).prefix(count)
        }
      }
    }
  }
#endif
