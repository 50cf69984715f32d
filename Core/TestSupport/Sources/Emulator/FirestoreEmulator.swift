package import Foundation
import TenonFoundation
import TenonProcesses
package import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Google's Firestore emulator, as a process of this test run.
package final class FirestoreEmulator: Sendable {
  /// Why the tests that require the emulator can't run.
  package static let absence =
    "Google's emulator isn't installed; Tools/bootstrap --all installs it, or TENON_FIRESTORE_EMULATOR says where its start script is"

  /// Whether to run the tests that require it: if it is installed, and always in CI.
  package static var isWanted: Bool { script != nil || ProcessInfo.processInfo.environment["CI"] != nil }

  /// The emulator that all tests share, started by the first one.
  package static func shared() async throws -> FirestoreEmulator { try await starting.value }

  private static let starting = Task { try await FirestoreEmulator() }

  /// Where it listens.
  package let origin: URL
  private let process: Process
  private let output: EmulatorOutput

  /// Starts an emulator, which is ready when this returns. It is empty, and ends with this process.
  ///
  /// - Parameters:
  ///   - port: the port; a free one if `nil`.
  ///   - extra: further arguments, for example `--seed_from_export=FILE`.
  package init(port: UInt16? = nil, arguments extra: [String] = []) async throws {
    guard let script = Self.script else { throw Absent(reason: Self.absence) }
    let port = try port ?? Self.freePort()
    let process = Process()
    process.executableURL = URL(filePath: script)
    process.arguments = ["start", "--host=127.0.0.1", "--port=\(port)"] + extra
    let pipe = Pipe.exclusive
    process.standardOutput = pipe
    process.standardError = pipe
    try process.start()
    self.process = process
    origin = try #require(URL(string: "http://127.0.0.1:\(port)"))
    output = EmulatorOutput(pipe.fileHandleForReading)
    Self.endWithThisProcess(process)
    // The emulator prints this line when it is ready.
    guard await output.line(containing: "Dev App Server is now running") != nil else {
      throw Absent(reason: "The Firestore emulator ended before it was ready.")
    }
  }

  /// What the emulator last printed, and what its threads do: for a test that it doesn't answer.
  package func report() async -> String {
    for process in Self.children(of: process.processIdentifier) { sendSignal(process, SIGQUIT) }
    // Java ends with the sizes of its heap. A process that is stopped prints nothing.
    for _ in 0..<50 where !output.last.contains(where: { $0.contains("class space") }) {
      try? await Task.sleep(for: .milliseconds(100))
    }
    return output.last.joined(separator: "\n")
  }

  /// Kills the emulator, without giving it time to end its connections. Its data is lost.
  package func kill() {
    let script = process.processIdentifier
    for child in Self.children(of: script) { sendSignal(child, SIGKILL) }
    sendSignal(script, SIGKILL)
    process.waitUntilExit()
    _ = Self.running.withLock { $0.remove(script) }
  }

  /// Why there is no emulator.
  package struct Absent: Error { package let reason: String }

  // MARK: - Finding it

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

  /// Returns a port that is currently free.
  private static func freePort() throws -> UInt16 {
    #if canImport(Glibc)
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let socket = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
      }
    }
    guard isBound else { throw Absent(reason: "There is no free port.") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Makes the emulator end with this process: its start script, and Java, which is the script's child.
  private static func endWithThisProcess(_ process: Process) {
    let isFirst = running.withLock { running in
      running.insert(process.processIdentifier)
      return running.count == 1 && !isRegistered.withLock { $0 }
    }
    guard isFirst else { return }
    isRegistered.withLock { $0 = true }
    atexit {
      for script in FirestoreEmulator.running.withLock({ $0 }) {
        for child in FirestoreEmulator.children(of: script) { sendSignal(child, SIGKILL) }
        sendSignal(script, SIGKILL)
      }
    }
  }

  private static let running = Lock<Set<pid_t>>([])
  private static let isRegistered = Lock(false)

  private static func children(of parent: pid_t) -> [pid_t] {
    let list = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
    let direct = (list ?? "").split(separator: " ").compactMap { pid_t($0) }
    return direct + direct.flatMap(children)
  }
}

/// Sends a signal; the name `kill` is also that of a method.
private func sendSignal(_ process: pid_t, _ signal: Int32) { _ = kill(process, signal) }

extension Trait where Self == RequirementTrait {
  /// Skips the tests if Google's emulator isn't installed, but not in CI.
  package static var firestoreEmulator: Self {
    .requires(FirestoreEmulator.absence) { FirestoreEmulator.isWanted }
  }
}
