#if os(Linux)
  import Foundation

  /// A client with a server. The raw value is its name in JSON.
  enum SyncContender: String, CaseIterable {
    case swiftOnEmbedded = "swift-on-tenon-server"
    case swiftOnEmulator = "swift-on-emulator"
    case pythonOnEmulator = "python-on-emulator"

    var server: DocumentServer.Kind { self == .swiftOnEmbedded ? .embedded : .emulator }
    var client: String { self == .pythonOnEmulator ? "Python" : "Swift" }
    var serverName: String { server == .embedded ? "tenon-server" : "emulator" }
  }

  /// The programs of the clients.
  struct SyncClients {
    /// The Python interpreter, and the folder of the scripts.
    let python: URL
    let peers: URL
    /// The folder for the databases of Swift's devices.
    let folder: URL

    /// Runs a scenario in a separate process.
    ///
    /// - Parameters:
    ///   - address: the server as `host:port`.
    ///   - collection: the collection to use.
    ///   - count: the number of operations, or of documents to listen to.
    func run(
      _ contender: SyncContender, _ scenario: SyncScenario, _ address: String, _ collection: String,
      _ count: Int
    ) throws -> SyncReport {
      contender == .pythonOnEmulator
        ? try python(scenario, address, collection, count) : try swift(scenario, address, collection, count)
    }

    private func swift(
      _ scenario: SyncScenario, _ address: String, _ collection: String, _ count: Int
    ) throws -> SyncReport {
      let data = folder.appending(path: "\(UUID())")
      try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: data) }
      let arguments = [
        SyncClientCommand.name, scenario.rawValue, address, collection, "\(count)", data.path,
      ]
      let process = ChildProcess(
        name: "tenon", program: StorageServer.program("tenon-bench"), arguments: arguments)
      return try JSONDecoder().decode(SyncReport.self, from: try process.run().output)
    }

    private func python(
      _ scenario: SyncScenario, _ address: String, _ collection: String, _ count: Int
    ) throws -> SyncReport {
      guard FileManager.default.isExecutableFile(atPath: python.path) else {
        return SyncReport(
          absent:
            "there is no \(python.path). Run Integration/SecondOpinions/prepare, or name another with --python."
        )
      }
      let script = peers.appending(path: "documents.py")
      let process = ChildProcess(
        name: "google-cloud-firestore", program: python,
        arguments: [script.path, scenario.rawValue, collection, "\(count)"],
        environment: ["FIRESTORE_EMULATOR_HOST": address])
      return try JSONDecoder().decode(SyncReport.self, from: try process.run().output)
    }
  }
#endif
