#if os(Linux)
  import Foundation

  /// An HTTP client that runs as a process.
  protocol TransportContender {
    var name: String { get }
    var program: URL { get }
    /// Sends GET requests, a number of them concurrently.
    func get(_ url: URL, count: Int, atOnce width: Int) throws -> ClientReport?
    /// Transfers a large body. Returns `nil` if the contender has no such function.
    func transfer(_ task: ClientTask, _ url: URL, bytes: Int, file: URL) throws -> ClientReport?
  }

  extension TransportContender {
    /// Runs the program. See ``ChildProcess``.
    fileprivate func run(
      _ arguments: [String], samplesMemory: Bool = false
    ) throws -> (output: Data, residentPeak: Int) {
      try ChildProcess(name: name, program: program, arguments: arguments, hidesErrors: true)
        .run(samplesMemory: samplesMemory)
    }
  }

  /// A program that runs ``ClientProgram``.
  struct ClientContender: TransportContender {
    let name: String
    let program: URL
    var arguments: [String] = []

    func get(_ url: URL, count: Int, atOnce width: Int) throws -> ClientReport? {
      try report([ClientTask.get.rawValue, url.absoluteString, "\(count)", "\(width)", "-"])
    }

    func transfer(_ task: ClientTask, _ url: URL, bytes: Int, file: URL) throws -> ClientReport? {
      try report([task.rawValue, url.absoluteString, "\(bytes)", "1", file.path])
    }

    private func report(_ more: [String]) throws -> ClientReport? {
      let output = try run(arguments + more).output
      return output.isEmpty ? nil : try JSONDecoder().decode(ClientReport.self, from: output)
    }
  }

  /// The program `curl`.
  struct CurlContender: TransportContender {
    let name = "curl"
    let program: URL

    func get(_ url: URL, count: Int, atOnce width: Int) throws -> ClientReport? {
      let start = ContinuousClock.now
      // Without patterns, curl would forget the connection between the URLs.
      var arguments = ["--silent", "--output", "/dev/null", "--write-out", "%{time_total}\n"]
      if width > 1 { arguments += ["--parallel", "--parallel-immediate", "--parallel-max", "\(width)"] }
      let (output, peak) = try run(
        arguments + ["\(url.absoluteString)?[1-\(count)]"], samplesMemory: count == 1)
      let total = ContinuousClock.now - start
      var report = try report(output, total: total / .nanoseconds(1), peak)
      // The time of a request among many begins when curl takes it from its queue, and doesn't include what
      // others wait for.
      if width > 1 { (report.median, report.percentile99) = (0, 0) }
      return report
    }

    func transfer(_ task: ClientTask, _ url: URL, bytes: Int, file: URL) throws -> ClientReport? {
      var arguments = ["--silent", "--output", "/dev/null", "--write-out", "%{time_total}\n"]
      switch task {
      case .download: break
      case .upload: arguments += ["--header", "Expect:", "--upload-file", file.path]
      default: return nil
      }
      let output = try run(arguments + [url.absoluteString]).output
      let peak = try run(arguments + [url.absoluteString], samplesMemory: true).residentPeak
      return try report(output, total: nil, peak)
    }

    private func report(_ output: Data, total: Double?, _ peak: Int) throws -> ClientReport {
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
      let times = lines.compactMap { Double($0) }.map { $0 * 1_000_000_000 }.sorted()
      guard !times.isEmpty else { throw ContenderFailed(description: "curl printed no times") }
      return ClientReport(
        median: times[times.count / 2], percentile99: times[times.count * 99 / 100],
        total: total ?? times[times.count / 2], residentPeak: peak)
    }
  }
#endif
