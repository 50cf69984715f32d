#if !os(Windows)
  import Foundation
  import TenonTransportInterop

  extension Misbehavior {
    /// Returns a response with another status line.
    private static func line(_ name: String, _ expected: Outcome, _ line: String) -> Misbehavior {
      .sends(name, expected) { $0.head(line: line, "Content-Length: \($0.body.count)\r\n") + $0.body }
    }

    /// Other versions of HTTP, and other protocols.
    static var versions: [Misbehavior] {
      [
        .sends("version-0.9", .error(.invalidResponse)) { $0.body },
        .sends("version-1.0", .correct) { $0.head(line: "HTTP/1.0 \($0.status) OK", "") + $0.body },
        line("version-1.0-keep-alive", .correct, "HTTP/1.0 200 OK\r\nConnection: keep-alive"),
        line("version-7.0", .error(.invalidResponse), "HTTP/7.0 200 OK"),
        line("version-in-lower-case", .error(.invalidResponse), "http/1.1 200 OK"),
        line("version-missing", .error(.invalidResponse), "200 OK"),
        line("version-of-another-protocol", .error(.invalidResponse), "ICY 200 OK"),
        line("version-without-space", .error(.invalidResponse), "HTTP/1.1200 OK"),
        .sends("banner-of-ssh", .error(.invalidResponse)) { _ in Data("SSH-2.0-OpenSSH_9.2\r\n".utf8) },
        .sends("empty-lines", .error(.invalidResponse)) { _ in Data("\r\n\r\n\r\n\r\n".utf8) },
        // SETTINGS and GOAWAY (RFC 9113, sections 6.5 and 6.8).
        .sends("frames-of-http-2", .error(.invalidResponse)) { _ in
          Data([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        },
        // A record with a fatal alert (RFC 8446, section 6).
        .sends("alert-of-tls", .error(.invalidResponse)) { _ in Data([0x15, 3, 3, 0, 2, 2, 40]) },
        .sends("random-bytes", .error(.invalidResponse)) { _ in
          Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ $0 >> 3) })
        },
      ]
    }

    /// Statuses that don't exist or weren't requested.
    static var statuses: [Misbehavior] {
      [
        line("status-99", .error(.invalidResponse), "HTTP/1.1 99 Any"),
        line("status-20", .error(.invalidResponse), "HTTP/1.1 20 OK"),
        line("status-600", .error(.invalidResponse), "HTTP/1.1 600 Any"),
        line("status-2000", .error(.invalidResponse), "HTTP/1.1 2000 OK"),
        line("status-negative", .error(.invalidResponse), "HTTP/1.1 -200 OK"),
        line("status-of-text", .error(.invalidResponse), "HTTP/1.1 OK"),
        line("status-missing", .error(.invalidResponse), "HTTP/1.1"),
        line("status-without-reason", .correct, "HTTP/1.1 200"),
        line("status-with-control-characters", .error(.invalidResponse), "HTTP/1.1 200 O\u{1B}K"),
        .sends("status-101", .error(.invalidResponse)) {
          $0.head(line: "HTTP/1.1 101 Switching Protocols", "Upgrade: any\r\nConnection: upgrade\r\n")
            + $0.body
        },
        .sends("challenge-of-the-server", .other(401)) {
          $0.head(
            line: "HTTP/1.1 401 Unauthorized",
            "WWW-Authenticate: Basic realm=\"a\", Negotiate, NTLM, Bearer, Digest realm=\"a\", nonce=\"b\"\r\n"
              + "Content-Length: 2\r\n")
            + "no"
        },
        .sends("challenge-of-a-proxy", .other(407)) {
          $0.head(
            line: "HTTP/1.1 407 Proxy Authentication Required",
            "Proxy-Authenticate: Basic realm=\"a\"\r\nContent-Length: 2\r\n") + "no"
        },
        .sends("page-of-a-portal", .other(200)) { _ in
          let page = Data("<html><body>Sign in to our network</body></html>".utf8)
          return Response(200, [HTTPHeader(name: "Content-Type", value: "text/html")], body: page).sized
        },
        .sends("page-of-a-gateway", .other(502)) { _ in
          Response(
            502, [HTTPHeader(name: "Content-Type", value: "text/html")], body: Data("<html></html>".utf8)
          )
          .sized
        },
        .sends("busy-for-long", .other(503)) { _ in
          Response(503, [HTTPHeader(name: "Retry-After", value: "99999999999999999999")], body: Data()).sized
        },
      ]
    }

    /// Wrong and unusual header fields.
    static var heads: [Misbehavior] {
      /// Returns the correct response with further header lines.
      func field(_ name: String, _ expected: Outcome, _ line: String) -> Misbehavior {
        .sends(name, expected) { $0.head("\(line)\r\nContent-Length: \($0.body.count)\r\n") + $0.body }
      }
      /// Returns the correct response with a field whose value is bytes.
      func binary(_ name: String, _ expected: Outcome, _ bytes: [UInt8]) -> Misbehavior {
        .sends(name, expected) {
          Data("HTTP/1.1 200 OK\r\nX-Any: ".utf8) + Data(bytes) + "\r\n"
            + $0.head(line: "X: y", "Content-Length: \($0.body.count)\r\n") + $0.body
        }
      }
      return [
        field("field-without-colon", .error(.invalidResponse), "no colon"),
        field("field-with-space-in-name", .error(.invalidResponse), "X Y: z"),
        field("field-with-space-behind-name", .error(.invalidResponse), "X-Y : z"),
        field("field-without-name", .error(.invalidResponse), ": z"),
        field("field-without-value", .correct, "X-Any:"),
        field("field-folded", .correct, "X-Folded: a\r\n b\r\n\tc"),
        .sends("field-with-name-folded-at-the-beginning", .error(.invalidResponse)) {
          Data("HTTP/1.1 200 OK\r\n X-Folded: value\r\nContent-Length: \($0.body.count)\r\n\r\n".utf8)
            + $0.body
        },
        .sends("field-folded-at-the-beginning", .error(.invalidResponse)) {
          Data("HTTP/1.1 200 OK\r\n folded\r\n".utf8) + "Content-Length: \($0.body.count)\r\n\r\n" + $0.body
        },
        field("field-with-null", .error(.invalidResponse), "X: a\0b"),
        field("field-with-carriage-return", .error(.invalidResponse), "X: a\rb"),
        field("field-with-escape", .error(.invalidResponse), "X: a\u{1B}[0m"),
        field("field-with-delete", .error(.invalidResponse), "X: a\u{7F}"),
        field("field-in-utf-8", .correct, "X-Any: \u{e9}\u{1F600}"),
        binary("field-binary", .correct, (0x80...0xFF).map { UInt8($0) }),
        binary(
          "field-binary-with-null", .error(.invalidResponse), Array(0...0xFF).filter { $0 != 10 && $0 != 13 }),
        field("field-cookie", .correct, "Set-Cookie: a=b; Domain=.example.com; Path=/"),
        field("field-upgrade", .correct, "Upgrade: h2c\r\nAlt-Svc: h3=\":443\""),
        .sends("lines-without-carriage-return", .correct) {
          let text = String(decoding: $0.head("Content-Length: \($0.body.count)\r\n"), as: UTF8.self)
          return Data(text.replacing("\r\n", with: "\n").utf8) + $0.body
        },
      ]
    }
  }
#endif
