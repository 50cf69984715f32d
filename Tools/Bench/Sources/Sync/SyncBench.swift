#if os(Linux)
  import Foundation

  /// The measurements of synchronization: the servers and the contenders.
  final class SyncBench {
    private let clients: SyncClients
    /// The program `tenon-server`.
    private let embedded: URL
    /// The number of runs of each contender before it is measured.
    private let warmUps: Int
    private var contenders = SyncContender.allCases
    private var servers: [DocumentServer.Kind: (server: DocumentServer, proxy: CountingProxy)] = [:]
    /// The collections for listeners that exist.
    private var seeded: Set<String> = []
    private var signals: [any DispatchSourceSignal] = []

    /// Creates the folder for the clients' databases.
    ///
    /// - Parameters:
    ///   - folder: the folder to create it in.
    ///   - embedded: the program `tenon-server`.
    ///   - python: the Python interpreter with google-cloud-firestore.
    ///   - peers: the folder of the Python scripts.
    ///   - warmUps: the number of runs of each contender before it is measured.
    init(in folder: URL, embedded: URL, python: URL, peers: URL, warmUps: Int) throws {
      self.warmUps = warmUps
      self.embedded = embedded
      let folder = folder.appending(path: "tenon-bench-\(UUID())")
      clients = SyncClients(python: python, peers: peers, folder: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      signals = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
          // The servers end with this process.
          ChildProcess.endAll()
          try? FileManager.default.removeItem(at: folder)
          _exit(128 + number)
        }
        source.resume()
        return source
      }
      for kind in DocumentServer.Kind.allCases {
        guard let absence = DocumentServer.absence(of: kind, embedded) else { continue }
        contenders.removeAll { contender in
          let isAbsent = contender.server == kind
          if isAbsent { StorageBench.say("without \(contender.rawValue): \(absence)") }
          return isAbsent
        }
      }
    }

    /// Ends the servers and removes the databases.
    func end() {
      for (server, proxy) in servers.values {
        proxy.end()
        server.end()
      }
      try? FileManager.default.removeItem(at: clients.folder)
    }

    /// Measures a scenario.
    ///
    /// Each contender runs at first to warm up, because the emulator compiles what it runs often, and then
    /// through a proxy that counts bytes, which slows it down. The times of these runs aren't used.
    ///
    /// - Parameters:
    ///   - name: the name of the measurement.
    ///   - count: the number of operations, or of documents to listen to.
    ///   - isRate: whether to print operations per second.
    ///   - repeats: the number of runs of each contender that are measured.
    func measure(
      _ scenario: SyncScenario, _ name: String, count: Int, isRate: Bool = false, repeats: Int
    ) throws -> [SyncMeasurement] {
      var times: [SyncContender: [Double]] = [:]
      var (bytes, memory, added) = (times, times, times)
      for round in -warmUps...repeats {
        // What ran before has an effect.
        for contender in contenders.shuffled() {
          let (server, proxy) = try servers[contender.server] ?? start(contender.server)
          let collection = scenario == .listen ? try seed(count, server) : "\(scenario)-\(UUID())"
          _ = proxy.take()
          let address = round == 0 ? proxy.address : server.address
          let report = try clients.run(contender, scenario, address, collection, count)
          if let absence = report.absent {
            StorageBench.say("without \(contender.rawValue): \(absence)")
            contenders.removeAll { $0 == contender }
            continue
          }
          if round == 0 {
            bytes[contender] = [Double(proxy.take()) / Double(scenario == .listen ? 1 : count)]
          } else if round > 0 {
            times[contender, default: []] += report.time.map { [$0] } ?? []
            memory[contender, default: []] += report.memory.map { [$0] } ?? []
            added[contender, default: []] += report.added.map { [$0] } ?? []
          }
        }
      }
      return [
        SyncMeasurement(name, .nanoseconds, isRate: isRate, times),
        SyncMeasurement("\(name)-bytes", .bytes, bytes),
        SyncMeasurement("\(name)-memory", .bytes, memory),
        SyncMeasurement("\(name)-added-memory", .bytes, added),
      ]
    }

    /// Measures how long each server takes until it is ready, and its resident memory a second later.
    func start(repeats: Int) throws -> [SyncMeasurement] {
      var times: [SyncContender: [Double]] = [:]
      var memory = times
      for _ in 0..<repeats {
        for contender in contenders.filter({ $0 != .pythonOnEmulator }).shuffled() {
          let server = try DocumentServer(contender.server, embedded: embedded)
          defer { server.end() }
          times[contender, default: []].append(server.startTime)
          sleep(1)
          memory[contender, default: []].append(Double(server.residentMemory))
        }
      }
      return [
        SyncMeasurement("server-start", .nanoseconds, times),
        SyncMeasurement("server-memory", .bytes, memory),
      ]
    }

    private func start(_ kind: DocumentServer.Kind) throws -> (DocumentServer, CountingProxy) {
      let server = try DocumentServer(kind, embedded: embedded)
      let started = (server, try CountingProxy(to: server.port))
      servers[kind] = started
      return started
    }

    /// Creates a collection for listeners, unless it exists, and returns its name.
    private func seed(_ count: Int, _ server: DocumentServer) throws -> String {
      let collection = "listen-\(count)"
      guard seeded.insert("\(server.port)/\(collection)").inserted else { return collection }
      _ = try clients.run(.swiftOnEmulator, .seed, server.address, collection, count)
      return collection
    }
  }
#endif
