#if os(Linux)
  import Foundation

  /// A server of documents, in a separate process. It ends with this process.
  final class DocumentServer {
    /// The servers.
    enum Kind: CaseIterable {
      /// Tenon's embedded backend, with documents in memory.
      case embedded
      /// Google's emulator, which always keeps documents in memory.
      case emulator
    }

    /// The address as `host:port`.
    let address: String
    /// The port.
    let port: UInt16
    /// The time from the start of the process until it was ready, in nanoseconds.
    let startTime: Double
    private let process = Process()
    private let input = Pipe()

    /// Starts a server, which is ready when this returns.
    ///
    /// - Parameters:
    ///   - kind: the server.
    ///   - embedded: the program `tenon-server`.
    init(_ kind: Kind, embedded: URL) throws {
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      process.standardInput = input
      var chosen: UInt16?
      switch kind {
      case .embedded:
        process.executableURL = embedded
        process.arguments = [
          "--port", "0", "--project", "demo-bench", "--until-input-ends", "--memory", "--quiet",
        ]
      case .emulator:
        guard let script = Self.script, let port = Loopback.freePort() else {
          throw ContenderFailed(description: Self.absence(of: kind, embedded) ?? "There is no port.")
        }
        chosen = port
        // The emulator doesn't watch its standard input, so a shell does, and ends its group: the script and
        // Java.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
          "-c", "\"$@\" </dev/null & cat >/dev/null; kill -9 0", "sh", script, "start", "--host=127.0.0.1",
          "--port=\(port)",
        ]
      }
      let start = ContinuousClock.now
      try process.run()
      let lines = OutputLines(output.fileHandleForReading)
      let ready = { (line: String) in
        kind == .embedded ? line.contains("\"address\"") : line.contains("Dev App Server is now running")
      }
      guard let line = lines.first(where: ready) else {
        throw ContenderFailed(description: "The server ended before it was ready: \(kind).")
      }
      startTime = (ContinuousClock.now - start) / .nanoseconds(1)
      lines.discard()
      struct Announcement: Decodable { let address: String }
      let announced = try? JSONDecoder().decode(Announcement.self, from: Data(line.utf8)).address
      guard let port = chosen ?? announced?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        throw ContenderFailed(description: "The server printed no address: \(line)")
      }
      self.port = port
      address = "127.0.0.1:\(port)"
    }

    /// The resident memory of the server's processes in bytes.
    var residentMemory: Int { Self.resident(process.processIdentifier) }

    /// Ends the server.
    func end() {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    // MARK: - Finding it

    /// The start script of the emulator.
    private static let script: String? = {
      let environment = ProcessInfo.processInfo.environment
      let name = "cloud_firestore_emulator"
      var candidates = environment["TENON_FIRESTORE_EMULATOR"].map { [$0] } ?? []
      candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      candidates += ["/usr/lib/google-cloud-sdk", "\(environment["HOME"] ?? "")/google-cloud-sdk"].map {
        "\($0)/platform/cloud-firestore-emulator/\(name)"
      }
      return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Returns a sentence that says what is missing; `nil` if the server can be started.
    static func absence(of kind: Kind, _ embedded: URL) -> String? {
      switch kind {
      case .embedded:
        FileManager.default.isExecutableFile(atPath: embedded.path)
          ? nil : "there is no \(embedded.path). Build it first."
      case .emulator:
        script != nil
          ? nil
          : "Google's emulator isn't installed: install google-cloud-cli-firestore-emulator, or say where its start script is in TENON_FIRESTORE_EMULATOR."
      }
    }

    /// Returns the resident memory of a process and of those that it has started.
    private static func resident(_ process: Int32) -> Int {
      let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      let own = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
      let children = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
      return (children ?? "").split(separator: " ").compactMap { Int32($0) }.reduce(own << 10) {
        $0 + resident($1)
      }
    }
  }

  /// The lines that a process prints.
  private final class OutputLines: Sequence, IteratorProtocol {
    private let handle: FileHandle
    private var rest = ""

    init(_ handle: FileHandle) { self.handle = handle }

    func next() -> String? {
      while true {
        if let end = rest.firstIndex(of: "\n") {
          let line = String(rest[..<end])
          rest = String(rest[rest.index(after: end)...])
          return line
        }
        let data = handle.availableData
        guard !data.isEmpty else { return nil }
        rest += String(decoding: data, as: UTF8.self)
      }
    }

    /// Reads what follows on a thread, so that the process never blocks.
    func discard() {
      let handle = handle
      Thread.detachNewThread { while !handle.availableData.isEmpty {} }
    }
  }
#endif
