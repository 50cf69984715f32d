#if os(Linux)
  import Foundation

  /// The measurements of Storage: the files, the servers and the contenders.
  final class StorageBench {
    private let folder: URL
    private let tools: HashTools
    private let python: URL
    private let peers: URL
    private let size: Int
    private let usesEmbedded: Bool
    /// The server of large objects, with the object's file.
    private var large: (server: StorageServer, file: KnownFile)?
    private var signals: [any DispatchSourceSignal] = []

    /// Creates the folder for the files.
    ///
    /// - Parameters:
    ///   - folder: the folder to create it in.
    ///   - python: the Python interpreter with google-cloud-storage.
    ///   - peers: the folder of the Python scripts.
    ///   - size: the size of a large object in bytes.
    ///   - usesEmbedded: whether large objects are on `tenon-server` instead of the fast server.
    init(in folder: URL, python: URL, peers: URL, size: Int, usesEmbedded: Bool) throws {
      self.folder = folder.appending(path: "tenon-bench-\(UUID())")
      (self.python, self.peers, self.size, self.usesEmbedded) = (python, peers, size, usesEmbedded)
      tools = HashTools(python: python, peers: peers)
      try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
      signals = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [folder = self.folder] in
          // The servers end with this process.
          ChildProcess.endAll()
          try? FileManager.default.removeItem(at: folder)
          _exit(128 + number)
        }
        source.resume()
        return source
      }
    }

    /// Ends the servers and removes the files.
    func end() {
      large?.server.end()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Measures the transfer of a large object, as a file or as a stream.
    func transfers(_ task: StorageTask, _ repeats: Int) throws -> [TransportMeasurement] {
      let (server, file) = try large ?? startLarge()
      large = (server, file)
      let address = server.address
      let all: [any StorageContender] =
        [TenonStorage(address: address)]
        + (task == .upload || task == .download
        ? [CurlStorage.Extra.nothing, .hashes, .hashesAtOnce] : [.nothing]).map {
          CurlStorage(extra: $0, address: address, tools: tools)
        }
      let contenders = all.filter { contender in
        if let absence = contender.absence { Self.say(absence) }
        return contender.absence == nil
      }
      if let remark = tools.remark { Self.say(remark) }
      var times = contenders.map { _ in [Double]() }
      var added = contenders.map { _ in [Double]() }
      for _ in 0..<repeats {
        // What ran before has an effect.
        for index in contenders.indices.shuffled() {
          let contender = contenders[index]
          let result = try contender.transfer(task, file)
          times[index].append(result.time)
          if let bytes = result.added { added[index].append(bytes) }
          guard task == .download else { continue }
          let copy = file.url.appendingPathExtension("copy")
          try file.check(copy, of: contender.name)
          try FileManager.default.removeItem(at: copy)
        }
      }
      let names = contenders.map(\.name)
      return [
        TransportMeasurement("\(task.rawValue)-\(size >> 20)-MiB", .nanoseconds, Self.values(names, times)),
        TransportMeasurement("\(task.rawValue)-memory", .bytes, Self.values(names, added)),
      ]
    }

    /// Measures the transfer of small objects with `tenon-server`, which keeps them in memory.
    func objects(_ count: Int, atOnce width: Int, _ repeats: Int) throws -> [TransportMeasurement] {
      guard FileManager.default.isExecutableFile(atPath: StorageServer.program("tenon-server").path) else {
        Self.say(
          "without small objects: there is no \(StorageServer.program("tenon-server").path). Build it first."
        )
        return []
      }
      let google = GoogleCloudStorage(python: python, peers: peers)
      var up: [String: [Double]] = [:]
      var down = up
      var names = ["tenon", google.name]
      for round in 0..<repeats {
        for name in names.shuffled() {
          // A separate server for each, so that none finds the objects of another.
          let server = try StorageServer(embeddedIn: nil)
          defer { server.end() }
          let report =
            name == google.name
            ? try google.objects(count, atOnce: width, folder: "\(round)", server.address)
            : try TenonStorage(address: server.address).objects(count, atOnce: width, folder: "\(round)")
          if let absence = report.absent {
            Self.say("without \(name): \(absence)")
            names.removeAll { $0 == name }
          }
          up[name, default: []] += report.up.map { [$0] } ?? []
          down[name, default: []] += report.down.map { [$0] } ?? []
        }
      }
      return [("up", up), ("down", down)].map { direction, times in
        TransportMeasurement(
          "objects-\(width)-\(direction)", .nanoseconds, operations: count,
          Self.values(names, names.map { times[$0] ?? [] }))
      }
    }

    /// Creates the files and starts the server of large objects.
    private func startLarge() throws -> (StorageServer, KnownFile) {
      let file = try KnownFile("large", size: size, in: folder)
      let small = try KnownFile("small", size: 64 << 10, in: folder)
      guard usesEmbedded else { return (try StorageServer(of: [file, small]), file) }
      let objects = folder.appending(path: "embedded")
      try FileManager.default.createDirectory(at: objects, withIntermediateDirectories: true)
      let server = try StorageServer(embeddedIn: objects)
      // The objects exist before the first download.
      _ = try TenonStorage(address: server.address).transfer(.upload, file)
      return (server, file)
    }

    /// Returns the values of the contenders that have any.
    private static func values(
      _ names: [String], _ values: [[Double]]
    ) -> [(contender: String, values: [Double])] {
      zip(names, values).filter { !$1.isEmpty }.map { (contender: $0, values: $1) }
    }

    static func say(_ sentence: String) { FileHandle.standardError.write(Data("\(sentence)\n".utf8)) }
  }

  /// Google's Python client, which uses the JSON form of the service.
  private struct GoogleCloudStorage {
    let name = "google-cloud-storage"
    let python: URL
    let peers: URL

    func objects(_ count: Int, atOnce width: Int, folder: String, _ address: String) throws -> StorageReport {
      guard FileManager.default.isExecutableFile(atPath: python.path) else {
        return StorageReport(
          absent:
            "there is no \(python.path). Run Integration/SecondOpinions/prepare, or name another with --python."
        )
      }
      let script = peers.appending(path: "objects.py")
      let output = try ChildProcess(
        name: name, program: python, arguments: [script.path, folder, "\(count)", "\(width)"],
        environment: ["STORAGE_EMULATOR_HOST": "http://\(address)"]
      ).run().output
      return try JSONDecoder().decode(StorageReport.self, from: output)
    }
  }
#endif
