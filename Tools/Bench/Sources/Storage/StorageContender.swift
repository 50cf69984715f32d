#if os(Linux)
  import Foundation

  /// A client that transfers one large object.
  protocol StorageContender {
    var name: String { get }
    /// Returns a sentence that says what is missing; `nil` if the contender can run.
    var absence: String? { get }
    /// Transfers the object `large`, and returns the time in nanoseconds and the added memory.
    ///
    /// - Parameter task: ``StorageTask/upload`` of the file, or ``StorageTask/download`` to another file of
    ///   its folder, `large.copy`.
    func transfer(_ task: StorageTask, _ file: KnownFile) throws -> (time: Double, added: Double?)
  }

  /// Tenon, which computes the MD5 and the CRC32C of the content in each transfer, compares them with those
  /// of the service, and flushes a downloaded file to the disk.
  struct TenonStorage: StorageContender {
    let name = "tenon"
    let absence: String? = nil
    let address: String

    func transfer(_ task: StorageTask, _ file: KnownFile) throws -> (time: Double, added: Double?) {
      let folder = file.url.deletingLastPathComponent().path
      let report = try run([task.rawValue, address, folder])
      guard let time = report.up ?? report.down else { throw UnexpectedResponse() }
      return (time, report.added)
    }

    /// Transfers small objects.
    func objects(_ count: Int, atOnce width: Int, folder: String) throws -> StorageReport {
      try run([StorageTask.objects.rawValue, address, folder, "\(count)", "\(width)"])
    }

    private func run(_ arguments: [String]) throws -> StorageReport {
      let arguments = [StorageClientCommand.name] + arguments
      let output = try ChildProcess(
        name: name, program: StorageServer.program("tenon-bench"), arguments: arguments
      )
      .run().output
      return try JSONDecoder().decode(StorageReport.self, from: output)
    }
  }

  /// The program `curl`, alone or with what Tenon does beside the transfer.
  struct CurlStorage: StorageContender {
    /// What is done beside the transfer.
    enum Extra: String {
      /// Nothing: neither the content nor its hash is looked at.
      case nothing = "curl"
      /// The same as Tenon does, one after another: the transfer, for a download the flush to the disk, and
      /// the hashes.
      case hashes = "curl-then-hashes"
      /// The hashes are computed by other processes during the transfer, as far as there are processors; a
      /// download isn't flushed.
      case hashesAtOnce = "curl-beside-hashes"
    }

    let extra: Extra
    let address: String
    let tools: HashTools
    var name: String { extra.rawValue }

    private static let program = URL(filePath: "/usr/bin/curl")

    var absence: String? {
      if !FileManager.default.isExecutableFile(atPath: Self.program.path) {
        return "without \(name): there is no \(Self.program.path)"
      }
      return extra == .nothing ? nil : tools.absence.map { "without \(name): \($0)" }
    }

    func transfer(_ task: StorageTask, _ file: KnownFile) throws -> (time: Double, added: Double?) {
      switch extra {
      case .nothing:
        let time = try curl(task, file)
        let base = try memory(task, file, "small")
        return (time, Double(max(0, try memory(task, file, file.name) - base)))
      case .hashes:
        var time = try curl(task, file)
        let content = task == .upload ? file.url : Self.copy(of: file)
        if task == .download { time += try HashTools.flush(content) }
        return (try time + tools.md5(content, file) + tools.crc32c(content, file), nil)
      case .hashesAtOnce:
        return (try tools.besides(arguments(task, file, file.name), task, file, Self.copy(of: file)), nil)
      }
    }

    private static func copy(of file: KnownFile) -> URL { file.url.appendingPathExtension("copy") }

    /// Returns curl's own time of a transfer in nanoseconds.
    private func curl(_ task: StorageTask, _ file: KnownFile) throws -> Double {
      let output = try run(arguments(task, file, file.name) + ["--write-out", "%{stderr}%{time_total}"])
        .output
      guard let seconds = Double(String(decoding: output, as: UTF8.self)) else { throw UnexpectedResponse() }
      return seconds * 1_000_000_000
    }

    /// Returns the largest resident memory of curl during the transfer of an object.
    private func memory(_ task: StorageTask, _ file: KnownFile, _ object: String) throws -> Int {
      try run(arguments(task, file, object), samplesMemory: true).residentPeak
    }

    private func run(_ arguments: [String], samplesMemory: Bool = false) throws -> (
      output: Data, residentPeak: Int
    ) {
      // Times are written to standard error, because standard output may be the content.
      let process = ChildProcess(
        name: name, program: URL(filePath: "/bin/sh"),
        arguments: ["-c", "exec \"$@\" 2>&1 >/dev/null", "sh", Self.program.path] + arguments)
      return try process.run(samplesMemory: samplesMemory)
    }

    /// Returns curl's arguments. Both forms are requests of Cloud Storage for Firebase.
    private func arguments(_ task: StorageTask, _ file: KnownFile, _ object: String) -> [String] {
      let folder = file.url.deletingLastPathComponent()
      let service = "http://\(address)/v0/b/bench/o"
      switch task {
      case .upload, .uploadStream:
        return [
          "--silent", "--fail", "--request", "POST", "--header", "Expect:", "--header",
          "Content-Type: application/octet-stream", "--upload-file", folder.appending(path: object).path,
          "--output",
          "/dev/null", "\(service)?name=\(object)",
        ]
      case .downloadStream:
        return ["--silent", "--fail", "--output", "/dev/null", "\(service)/\(object)?alt=media"]
      default:
        let copy = folder.appending(path: "\(object).copy")
        return ["--silent", "--fail", "--output", copy.path, "\(service)/\(object)?alt=media"]
      }
    }
  }
#endif
