#if os(Linux)
  import Foundation
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.timeLimit(.minutes(5)))
  struct TLSTests {
    /// A TLS server of OpenSSL with a certificate of its own for `localhost`, which answers every request with a page.
    private final class Server {
      let certificate: TestCertificate
      let port: Int
      private let process = Process()

      init() throws {
        certificate = try TestCertificate()
        process.executableURL = URL(filePath: TestCertificate.tool)
        process.currentDirectoryURL = certificate.directory
        process.arguments = "s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www".split(
          separator: " "
        ).map(
          String.init)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while text.firstMatch(of: /ACCEPT \S+:(\d+)\n/) == nil {
          let bytes = output.fileHandleForReading.availableData
          try #require(!bytes.isEmpty)
          text += String(decoding: bytes, as: UTF8.self)
        }
        port = try #require(text.firstMatch(of: /ACCEPT \S+:(\d+)\n/).flatMap { Int($0.1) })
      }

      deinit { kill(process.processIdentifier, SIGKILL) }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: TestCertificate.tool)))
    func certificateMustBeTrustedAndNameTheHost() async throws {
      let server = try Server()
      let local = try #require(URL(string: "https://localhost:\(server.port)/"))
      let number = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
      let trusting = CurlTransport(
        configuration: TransportConfiguration(certificateAuthorities: server.certificate.certificate))
      #expect(try await trusting.send(HTTPRequest(.get, local)).status == 200)
      await expect(.tls) { try await trusting.send(HTTPRequest(.get, number)) }
      await expect(.tls) { try await CurlTransport().send(HTTPRequest(.get, local)) }
      let missing = TransportConfiguration(certificateAuthorities: URL(filePath: "/nowhere/ca.pem"))
      await expect(.tls) { try await CurlTransport(configuration: missing).send(HTTPRequest(.get, local)) }
    }

    @Test(arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}",
    ])
    func serverWithoutTLSIsAnErrorOfTLS(_ text: String) async throws {
      let server = try RawServer { connection in
        _ = connection.read()
        connection.write(text)
      }
      await expect(.tls) {
        try await CurlTransport().send(HTTPRequest(.get, server.url("/", scheme: "https")))
      }
    }
  }
#endif
