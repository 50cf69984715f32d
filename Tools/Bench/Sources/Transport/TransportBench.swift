#if os(Linux)
  import Foundation

  /// The measurements of HTTP: a server in a separate process, and the contenders.
  struct TransportBench {
    private let server: Process
    private let address: URL
    private let directory: URL
    private let file: URL
    private let size: Int
    private let contenders: [any TransportContender]

    /// Starts the server and creates the file to send.
    ///
    /// - Parameters:
    ///   - peers: the folder of the peers' programs.
    ///   - size: the size of a large body in bytes.
    init(peers: URL, size: Int) throws {
      self.size = size
      directory = FileManager.default.temporaryDirectory.appending(path: "tenon-bench-\(UUID())")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      file = directory.appending(path: "large")
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(size))
      try handle.close()

      let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      server = Process()
      server.executableURL = program
      server.arguments = [TransportServerCommand.name, "1024", "\(size)"]
      let output = Pipe()
      server.standardOutput = output
      try server.run()
      let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      guard let port = Int(text.dropLast()), let address = URL(string: "http://127.0.0.1:\(port)") else {
        throw UnexpectedResponse()
      }
      self.address = address

      contenders =
        [
          ClientContender(name: "tenon", program: program, arguments: [TransportClientCommand.name]),
          CurlContender(program: URL(filePath: "/usr/bin/curl")),
          ClientContender(name: "urlsession", program: peers.appending(path: "urlsession-peer")),
          ClientContender(
            name: "async-http-client", program: peers.appending(path: "async-http-client-peer")),
        ].filter { contender in
          let isInstalled = FileManager.default.isExecutableFile(atPath: contender.program.path)
          if !isInstalled {
            FileHandle.standardError.write(
              Data("without \(contender.name): no \(contender.program.path)\n".utf8))
          }
          return isInstalled
        }
    }

    /// Ends the server and removes the file.
    func end() {
      // The process may have inherited a mask that blocks other signals.
      kill(server.processIdentifier, SIGKILL)
      try? FileManager.default.removeItem(at: directory)
    }

    /// Measures requests with small responses.
    func gets(_ count: Int, atOnce width: Int, _ repeats: Int) throws -> [TransportMeasurement] {
      let count = count / width * width
      let url = address.appending(path: "small")
      let results = try results(of: repeats) { try $0.get(url, count: count, atOnce: width) }
      return [
        TransportMeasurement("get-\(width)-median", .nanoseconds, results { $0.median }),
        TransportMeasurement("get-\(width)-99-percent", .nanoseconds, results { $0.percentile99 }),
        // A rate, of all requests together.
        TransportMeasurement("get-\(width)-rate", .nanoseconds, operations: count, results { $0.total }),
      ]
    }

    /// Measures the transfer of a large body.
    func transfers(_ task: ClientTask, _ repeats: Int) throws -> [TransportMeasurement] {
      let small = address.appending(path: "small")
      let idle = try results(of: repeats) { try $0.get(small, count: 1, atOnce: 1) }({
        Double($0.residentPeak)
      })
      let url = address.appending(path: task == .download ? "large" : "put")
      let results = try results(of: repeats) { try $0.transfer(task, url, bytes: size, file: file) }
      let added = results { Double($0.residentPeak) }.map { contender, values in
        let base = idle.first { $0.contender == contender }.map { median($0.values) } ?? 0
        return (contender, values.map { max(0, $0 - base) })
      }
      return [
        TransportMeasurement("\(task.rawValue)-\(size >> 20)-MiB", .nanoseconds, results { $0.total }),
        TransportMeasurement("\(task.rawValue)-memory", .bytes, added),
      ]
    }

    /// Runs the contenders a number of times, each time in another random order, because what ran before has
    /// an effect.
    ///
    /// - Returns: a function that selects one value of the reports. Contenders that don't support the
    ///   operation are left out.
    private func results(
      of repeats: Int, _ run: (any TransportContender) throws -> ClientReport?
    ) throws -> ((ClientReport) -> Double) -> [(contender: String, values: [Double])] {
      var reports = contenders.map { _ in [ClientReport]() }
      for _ in 0..<repeats {
        for index in contenders.indices.shuffled() {
          if let report = try run(contenders[index]) { reports[index].append(report) }
        }
      }
      let all = zip(contenders, reports).filter { !$1.isEmpty }
      return { value in all.map { ($0.name, $1.map(value)) } }
    }
  }
#endif
