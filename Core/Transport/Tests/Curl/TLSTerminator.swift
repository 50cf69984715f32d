#if os(Linux)
  import Foundation
  import TenonProcesses
  import TenonTestSupport
  import Testing

  /// A certificate with its key, for the hosts `localhost` and `tenon.test`. It is its own authority.
  final class TestCertificate: Sendable {
    /// The program that creates it.
    static let tool = "/usr/bin/openssl"
    /// The folder of the files, which is removed when the object is released.
    let directory: URL
    /// The certificate in PEM format.
    var certificate: URL { directory.appending(path: "cert.pem") }
    /// Its private key in PEM format.
    var key: URL { directory.appending(path: "key.pem") }

    /// Creates it.
    ///
    /// - Parameter isExpired: whether it has expired a day ago.
    init(isExpired: Bool = false) throws {
      directory = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try run(
        """
        req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout key.pem -out cert.pem \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost,DNS:tenon.test
        """)
      // `req` refuses a negative number of days, `x509` doesn't.
      if isExpired { try run("x509 -in cert.pem -signkey key.pem -days -1 -out cert.pem") }
    }

    /// Runs the program, which must succeed.
    private func run(_ arguments: String) throws {
      let request = Process()
      request.executableURL = URL(filePath: Self.tool)
      request.currentDirectoryURL = directory
      request.arguments = arguments.split(separator: " ").map(String.init)
      request.standardError = FileHandle.nullDevice
      try request.start()
      request.waitUntilExit()
      try #require(request.terminationStatus == 0)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }
  }

  /// A process that accepts TLS connections on a free port, offers HTTP/2, and forwards what it decrypts to a
  /// server of the test, with one connection for each. It also acts as an HTTP proxy: it takes every host for
  /// that server.
  ///
  /// It is a program in Python, because no library of Swift's toolchain accepts TLS connections.
  final class TLSTerminator: Sendable {
    /// The interpreter; `nil` if there is none.
    static var interpreter: URL? {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "python3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Whether tests can use it. On a machine that runs the tests of all changes, a missing program is an
    /// error instead.
    static var isAvailable: Bool {
      ProcessInfo.processInfo.environment["CI"] != nil
        || interpreter != nil && FileManager.default.isExecutableFile(atPath: TestCertificate.tool)
    }

    /// The certificate, which clients must trust.
    let certificate: TestCertificate
    /// The port on 127.0.0.1.
    let port: Int
    private let process = Process()

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - backend: the port of the server to which the decrypted bytes are forwarded.
    ///   - protocols: the protocols to offer, in order of preference.
    init(to backend: UInt16, protocols: String = "h2,http/1.1") throws {
      certificate = try TestCertificate()
      let interpreter: URL = try #require(Self.interpreter, "There is no python3 on the PATH.")
      process.executableURL = interpreter
      process.arguments = [
        "-c", Self.program, "\(backend)", certificate.certificate.path, certificate.key.path, protocols,
      ]
      let output = Pipe.exclusive
      process.standardOutput = output
      try process.start()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      port = try #require(Int(line.trimmingCharacters(in: .newlines)))
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// Returns the URL of a target on this server.
    func url(_ target: String, host: String = "localhost") -> URL {
      URL(string: "https://\(host):\(port)\(target)")!
    }

    /// One thread for each connection: Python's TLS sockets can't be used by two threads concurrently. The
    /// program ends with the process that has started it, even if that is killed.
    private static let program = """
      import os, select, socket, ssl, sys, threading, time
      backend, certificate, key, protocols = sys.argv[1:]
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(certificate, key)
      context.set_alpn_protocols(protocols.split(","))

      def serve(plain):
          with plain:
              if plain.recv(7, socket.MSG_PEEK | socket.MSG_WAITALL) == b"CONNECT":
                  head = b""
                  while not head.endswith(b"\\r\\n\\r\\n"):
                      head += plain.recv(1)
                  plain.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
              with context.wrap_socket(plain, server_side=True) as client:
                  with socket.create_connection(("127.0.0.1", int(backend))) as server:
                      forward(client, server)

      def forward(client, server):
          while True:
              ready = [client] if client.pending() else select.select([client, server], [], [])[0]
              for source in ready:
                  data = source.recv(65536)
                  if not data:
                      return
                  (server if source is client else client).sendall(data)

      def guarded(plain):
          try:
              serve(plain)
          except OSError:
              pass

      def end_with(parent):
          while os.getppid() == parent:
              time.sleep(1)
          os._exit(0)

      threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
      listener = socket.create_server(("127.0.0.1", 0), backlog=256)
      print(listener.getsockname()[1], flush=True)
      while True:
          threading.Thread(target=guarded, args=(listener.accept()[0],), daemon=True).start()
      """
  }

  extension Trait where Self == RequirementTrait {
    /// Skips the tests that need a TLS server in front of one without TLS.
    static var tlsTerminator: Self {
      .requires("Python or OpenSSL isn't installed; Tools/bootstrap --all installs them") {
        TLSTerminator.isAvailable
      }
    }

    /// Skips the tests that need a certificate or a TLS server of OpenSSL.
    static var openSSL: Self {
      .requires("OpenSSL isn't installed; Tools/bootstrap --all installs it") {
        FileManager.default.isExecutableFile(atPath: TestCertificate.tool)
      }
    }
  }
#endif
