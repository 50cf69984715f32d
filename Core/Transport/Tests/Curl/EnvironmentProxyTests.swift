import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTransport
  import TenonTransportInterop
  import Testing

  /// Each test is a separate process, because the environment belongs to the process.
  @Suite(.limited)
  struct EnvironmentProxyTests {
    /// A proxy that refuses every request and keeps its first line.
    private final class RefusingProxy: Sendable {
      private final class Lines: Sendable {
        let all = Lock<[String]>([])
      }

      private let lines = Lines()
      private let server: RawServer

      init() throws {
        server = try RawServer { [lines] connection in
          guard let head = connection.readHead() else { return }
          let line = String(decoding: head, as: UTF8.self).split(separator: "\r\n").first
          lines.all.withLock { $0.append(line.map(String.init) ?? "") }
          connection.write("HTTP/1.1 502 Bad gateway\r\nContent-Length: 0\r\n\r\n")
        }
      }

      var address: String { server.url("").absoluteString }
      var requests: [String] { lines.all.withLock { $0 } }
    }

    /// Sends a request that can't succeed.
    private static func fail(_ url: String, _ transport: CurlTransport = CurlTransport()) async throws {
      let url = try #require(URL(string: url))
      await #expect(throws: TransportError.self) {
        try await transport.send(TransportRequest(.get, url, deadline: .seconds(60)))
      }
    }

    @Test func proxyOfTheEnvironmentIsUsed() async {
      await #expect(processExitsWith: .success) {
        let (secure, any) = (try RefusingProxy(), try RefusingProxy())
        setenv("no_proxy", "", 1)
        setenv("https_proxy", secure.address, 1)
        setenv("all_proxy", any.address, 1)
        try await Self.fail("https://one.invalid/path")
        guard secure.requests == ["CONNECT one.invalid:443 HTTP/1.1"], any.requests.isEmpty else { exit(2) }
        unsetenv("https_proxy")
        unsetenv("HTTPS_PROXY")
        try await Self.fail("https://two.invalid:8443/path")
        guard secure.requests.count == 1, any.requests == ["CONNECT two.invalid:8443 HTTP/1.1"] else {
          exit(3)
        }
      }
    }

    @Test func exceptionsOfTheEnvironmentAreRespected() async {
      await #expect(processExitsWith: .success) {
        let proxy = try RefusingProxy()
        setenv("https_proxy", proxy.address, 1)
        setenv("no_proxy", "direct.invalid, .internal.invalid", 1)
        try await Self.fail("https://direct.invalid/")
        try await Self.fail("https://host.internal.invalid/")
        guard proxy.requests.isEmpty else { exit(2) }
        try await Self.fail("https://other.invalid/")
        guard proxy.requests == ["CONNECT other.invalid:443 HTTP/1.1"] else { exit(3) }
      }
    }

    @Test func loopbackAndTransportsWithoutProxiesIgnoreTheEnvironment() async {
      await #expect(processExitsWith: .success) {
        let proxy = try RefusingProxy()
        for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, proxy.address, 1) }
        setenv("no_proxy", "", 1)
        let server = try LoopbackServer.echo()
        for host in ["127.0.0.1", "localhost"] {
          let request = TransportRequest(.get, server.url("/", host: host))
          guard try await CurlTransport().send(request).status == 200 else { exit(2) }
        }
        try await Self.fail(
          "https://one.invalid/", CurlTransport(configuration: TransportConfiguration(proxy: .none)))
        guard proxy.requests.isEmpty else { exit(3) }
      }
    }

    /// The whole way: a tunnel through the proxy, a server with its own certificate, and HTTP/2.
    @Test(.tlsTerminator)
    func exchangesThroughAProxyShareOneTunnel() async {
      await #expect(processExitsWith: .success) {
        let server = try HTTP2Server { $0.answer($0.text) }
        setenv("https_proxy", "http://127.0.0.1:\(server.port)", 1)
        setenv("no_proxy", "", 1)
        let transport = CurlTransport(
          configuration: TransportConfiguration(certificateAuthorities: server.certificate))
        try await withThrowingTaskGroup { group in
          for number in 0..<8 {
            group.addTask {
              let body = HTTPBody.data(Data("\(number)".utf8))
              let request = TransportRequest(.post, server.url("/", host: "tenon.test"), body: body)
              guard try await transport.send(request).body == Data("\(number)".utf8) else { exit(2) }
            }
          }
          try await group.waitForAll()
        }
        guard server.accepted == 1 else { exit(3) }
      }
    }
  }
#endif
