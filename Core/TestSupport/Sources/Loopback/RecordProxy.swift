#if !os(Windows)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A TCP proxy for tests in front of a TLS server on this machine, which ends the connection after a number
  /// of the server's TLS records (RFC 8446, section 5.1). It decrypts nothing.
  package final class RecordProxy: Sendable {
    /// How the proxy ends a connection.
    package enum Ending: CaseIterable, Sendable {
      /// It closes the connection.
      case closes
      /// It resets the connection.
      case resets
      /// It keeps the connection open and forwards nothing more.
      case stalls
    }

    /// Where the proxy cuts what the server sends.
    package struct Cut: Sendable {
      /// The number of complete records before the cut.
      package var records: Int
      /// The number of bytes of the next record that are forwarded; if it has fewer, all but the last one.
      package var bytes: Int
      /// What happens then.
      package var ending: Ending

      /// Creates a cut.
      package init(records: Int, bytes: Int, ending: Ending) {
        self.records = records
        self.bytes = bytes
        self.ending = ending
      }
    }

    private let server: RawServer

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - port: the port of the server on 127.0.0.1.
    ///   - cut: where to cut each connection; `nil` to forward everything.
    ///   - forwarded: called with the number of the server's complete records when a connection ends, on its
    ///     thread.
    /// - Throws: `LoopbackServer.Failure` if the socket can't be opened.
    package init(
      to port: UInt16, _ cut: Cut?, forwarded: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
      server = try RawServer { client in
        guard let upstream = try? LoopbackServer.connect(to: port) else { return }
        // Both directions end when the connection to the server is shut down; it is closed when neither uses
        // it.
        let ended = ThreadGate()
        Thread.detachNewThread {
          while let bytes = client.read() { guard LoopbackServer.write(bytes, to: upstream) else { break } }
          _ = shutdown(upstream, Int32(SHUT_RDWR))
          ended.open()
        }
        forwarded(Self.forward(from: upstream, to: client, cut))
        switch cut?.ending {
        case .stalls: break
        case .resets:
          client.resetWhenClosed()
          client.endReading()
        case .closes, nil:
          client.finish()
          client.endReading()
        }
        ended.pass()
        _ = close(upstream)
      }
    }

    /// The port on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// Stops accepting connections, and shuts down those that are open.
    package func stop() { server.stop() }

    /// Forwards the server's records up to the cut or the end, and returns the number of those that are
    /// complete.
    private static func forward(from upstream: Int32, to client: RawServer.Connection, _ cut: Cut?) -> Int {
      var (input, records) = (Data(), 0)
      while true {
        // Type, version and size; then the content.
        while input.count < 5 || input.count < size(input) {
          guard LoopbackServer.fill(&input, from: upstream) else { return records }
        }
        let record = Data(input.prefix(size(input)))
        input = Data(input.dropFirst(record.count))
        if let cut, records == cut.records {
          client.write(record.prefix(min(cut.bytes, record.count - 1)))
          return records
        }
        guard client.write(record) else { return records }
        records += 1
      }
    }

    /// The size of the first record of some bytes with its header.
    private static func size(_ input: Data) -> Int { 5 + (Int(input[3]) << 8) + Int(input[4]) }
  }
#endif
