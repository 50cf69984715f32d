import TenonFoundation
import TenonProcesses

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.limited)
  struct TLSTests {
    /// A TLS server of OpenSSL with its own certificate for `localhost`, which answers every request with a
    /// page.
    private final class Server {
      let certificate: TestCertificate
      let port: Int
      private let process = Process()

      /// - Parameters:
      ///   - options: further options of `openssl s_server`.
      ///   - isExpired: whether its certificate has expired.
      init(_ options: String = "", isExpired: Bool = false) throws {
        certificate = try TestCertificate(isExpired: isExpired)
        process.executableURL = URL(filePath: TestCertificate.tool)
        process.currentDirectoryURL = certificate.directory
        process.arguments = "s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www \(options)"
          .split(separator: " ").map(String.init)
        let output = Pipe.exclusive
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
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

    @Test(.openSSL)
    func certificateMustBeTrustedAndNameTheHost() async throws {
      let server = try Server()
      let local = try #require(URL(string: "https://localhost:\(server.port)/"))
      let number = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
      let trusting = CurlTransport(
        configuration: TransportConfiguration(certificateAuthorities: server.certificate.certificate))
      #expect(try await trusting.send(TransportRequest(.get, local)).status == 200)
      await expect(.tls) { try await trusting.send(TransportRequest(.get, number)) }
      await expect(.tls) { try await CurlTransport().send(TransportRequest(.get, local)) }
      let missing = TransportConfiguration(certificateAuthorities: URL(filePath: "/nowhere/ca.pem"))
      await expect(.tls) {
        try await CurlTransport(configuration: missing).send(TransportRequest(.get, local))
      }
    }

    /// The message of an error says what is wrong, so that nobody has to look for it with another program.
    @Test(.openSSL)
    func errorsSayWhyThereIsNoSecureConnection() async throws {
      /// Returns the message of the error of a request.
      func message(
        _ server: Server, _ host: String = "localhost", trusts: Bool = true, file: URL? = nil
      ) async throws -> String {
        let file = file ?? (trusts ? server.certificate.certificate : nil)
        let transport = CurlTransport(configuration: TransportConfiguration(certificateAuthorities: file))
        let url = try #require(URL(string: "https://\(host):\(server.port)/"))
        let error = await #expect(throws: TransportError.self) {
          try await transport.send(TransportRequest(.get, url))
        }
        #expect(error?.code == .tls)
        return error?.message ?? ""
      }
      let server = try Server()
      #expect(try await message(server, trusts: false).contains("is self-signed"))
      #expect(try await message(server, "127.0.0.1").contains("another host name"))
      let nowhere = URL(filePath: "/nowhere/ca.pem")
      #expect(try await message(server, file: nowhere).contains("/nowhere/ca.pem"))
      let expired = try Server(isExpired: true)
      #expect(try await message(expired).contains("has expired"))
    }

    /// The last record is the alert `close_notify`, and the page has no length. A connection that is closed
    /// between the page's last record and the end of the alert has been cut.
    @Test(
      .deep, .openSSL,
      arguments: ["-tls1_2", "-tls1_3"])
    func cutInOrBehindAnyRecordIsAnError(_ version: String) async throws {
      let server = try Server(version)
      let port = try #require(UInt16(exactly: server.port))
      let trusting = TransportConfiguration(certificateAuthorities: server.certificate.certificate)
      /// Returns the error of a request through a proxy; `nil` for a response.
      func error(
        _ cut: RecordProxy.Cut?, deadline: Duration, forwarded: @escaping @Sendable (Int) -> Void
      ) async throws -> TransportError? {
        let proxy = try RecordProxy(to: port, cut, forwarded: forwarded)
        defer { proxy.stop() }
        let url = try #require(URL(string: "https://localhost:\(proxy.port)/"))
        // A separate transport has no session that it could resume.
        let transport = CurlTransport(configuration: trusting)
        do {
          #expect(try await transport.send(TransportRequest(.get, url, deadline: deadline)).status == 200)
          return nil
        } catch let error as TransportError { return error }
      }
      let count = Lock(0)
      let whole = try await error(nil, deadline: .seconds(60)) { number in count.withLock { $0 = number } }
      #expect(whole == nil)
      try await eventually { count.withLock({ $0 }) != 0 }
      let records = count.withLock { $0 }
      #expect(records >= 5)
      for ending in RecordProxy.Ending.allCases {
        var hasConnected = false
        for record in 0..<records {
          // The last record isn't cut if all of it is forwarded.
          for bytes in [0, 3, 5, 6, 1 << 20] where ending != .closes || record < records - 1 || bytes <= 6 {
            let cut = RecordProxy.Cut(records: record, bytes: bytes, ending: ending)
            let isStalled = ending == .stalls
            let found = try await error(cut, deadline: isStalled ? .milliseconds(80) : .seconds(60)) { _ in }
            guard let code = found?.code else {
              Issue.record("\(cut) of \(records) records is a response")
              continue
            }
            if isStalled {
              #expect(code == .timedOut, "\(cut)")
            } else {
              // Once the handshake is complete, the connection is lost.
              #expect(
                [.tls, .connectionLost].contains(code) && !(hasConnected && code == .tls), "\(cut): \(code)")
              hasConnected = hasConnected || code == .connectionLost
            }
          }
        }
        #expect(hasConnected || ending == .stalls)
      }
    }

    @Test(arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}",
    ])
    func serverWithoutTLSIsAnErrorOfTLS(_ text: String) async throws {
      let server = try RawServer { connection in
        _ = connection.read()
        connection.write(text)
      }
      let url = server.url("/", scheme: "https")
      let error = await #expect(throws: TransportError.self) {
        try await CurlTransport().send(TransportRequest(.get, url))
      }
      #expect(error?.code == .tls)
      // OpenSSL reads what it was sent as a record.
      if text.hasPrefix("HTTP") { #expect(error?.message.contains("doesn't speak TLS") == true) }
    }
  }
#endif
