#if os(Linux)
  import ArgumentParser
  import Foundation
  import TenonCore
  import TenonStorage

  /// What a client has measured.
  struct StorageReport: Codable {
    /// The time of the upload, or of all uploads together, in nanoseconds; `nil` if nothing was uploaded.
    var up: Double?
    /// The same for downloads.
    var down: Double?
    /// The number of bytes by which the largest resident memory of the process during the transfer exceeds
    /// the memory before it.
    var added: Double?
    /// The sentence to print if the client can't run here.
    var absent: String?
  }

  /// What a client does.
  enum StorageTask: String, ExpressibleByArgument {
    /// Uploads a file.
    case upload
    /// Downloads to a file.
    case download
    /// Uploads a stream of pieces.
    case uploadStream = "upload-stream"
    /// Downloads a stream of pieces, which aren't kept.
    case downloadStream = "download-stream"
    /// Uploads many small objects, and downloads them.
    case objects
  }

  /// Runs Tenon's client in a separate process, and prints a ``StorageReport``. It is started by
  /// ``StorageBench``.
  struct StorageClientCommand: AsyncParsableCommand {
    static let name = "storage-client"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument var task: StorageTask
    /// The server as `host:port`.
    @Argument var address: String
    /// The file to upload or to write, or the name of small objects.
    @Argument var path: String
    /// The number of small objects.
    @Argument var count = 0
    /// How many of them are transferred at a time.
    @Argument var width = 1

    func run() async throws {
      let app = try App.configure(
        options: AppOptions(
          projectID: "demo-bench", apiKey: "any", storageBucket: "bench",
          backend: .emulator(EmulatorHosts(storage: address)), data: .memory))
      let root = try Storage.storage(app: app).reference()
      let report =
        switch task {
        case .upload:
          try await measured(\.up, warmUp: { try await upload(root, "small") }) {
            try await upload(root, "large")
          }
        case .download:
          try await measured(\.down, warmUp: { try await download(root, "small") }) {
            try await download(root, "large")
          }
        case .uploadStream:
          try await measured(\.up, warmUp: { try await uploadStream(root, "small") }) {
            try await uploadStream(root, "large")
          }
        case .downloadStream:
          try await measured(\.down, warmUp: { try await downloadStream(root, "small") }) {
            try await downloadStream(root, "large")
          }
        case .objects: try await objects(root)
        }
      await app.delete()
      print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Uploads one of the files of the folder.
    private func upload(_ root: StorageReference, _ name: String) async throws {
      let file = URL(filePath: path).appending(path: name)
      let stored = try await root.child(name).putFileAsync(from: file)
      guard stored.size > 0 else { throw UnexpectedResponse() }
    }

    /// Downloads an object to a file in the folder, beside that with its content.
    private func download(_ root: StorageReference, _ name: String) async throws {
      let file = URL(filePath: path).appending(path: "\(name).copy")
      try await root.child(name).writeAsync(toFile: file)
    }

    /// Uploads the content of one of the files as a stream.
    private func uploadStream(_ root: StorageReference, _ name: String) async throws {
      let file = URL(filePath: path).appending(path: name)
      _ = try await root.child(name).putStreamAsync(FilePieces(file: file))
    }

    /// Downloads an object as a stream.
    private func downloadStream(_ root: StorageReference, _ name: String) async throws {
      var count = 0
      for try await piece in root.child(name).stream() { count += piece.count }
      guard count > 0 else { throw UnexpectedResponse() }
    }

    /// Measures a transfer and the memory that it adds.
    ///
    /// - Parameter warmUp: a small transfer of the same kind, after which everything is loaded and connected.
    private func measured(
      _ time: WritableKeyPath<StorageReport, Double?>, warmUp: () async throws -> Void,
      _ transfer: () async throws -> Void
    ) async throws -> StorageReport {
      try await warmUp()
      let before = ResidentMemory.reset()
      let start = ContinuousClock.now
      try await transfer()
      let taken = ContinuousClock.now - start
      var report = StorageReport()
      report[keyPath: time] = taken / .nanoseconds(1)
      report.added = Double(max(0, ResidentMemory.peak - before))
      return report
    }

    /// Uploads all small objects, then downloads them.
    private func objects(_ root: StorageReference) async throws -> StorageReport {
      let content = Data((0..<1_024).map { _ in UInt8.random(in: 0...255) })
      let folder = root.child(path)
      // The connections exist before the measurement.
      try await each(width) { _ in _ = try await folder.child("first").putDataAsync(content) }
      var report = StorageReport()
      report.up = try await timed {
        try await each(count) { try await folder.child("\($0)").putDataAsync(content) }
      }
      report.down = try await timed {
        try await each(count) { index in
          let copy = try await folder.child("\(index)").data(maxSize: 1 << 20)
          guard copy == content else { throw UnexpectedResponse() }
        }
      }
      return report
    }

    private func timed(_ operation: () async throws -> Void) async throws -> Double {
      let start = ContinuousClock.now
      try await operation()
      return (ContinuousClock.now - start) / .nanoseconds(1)
    }

    /// Runs an operation for each index, ``width`` at a time.
    private func each(_ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Void) async throws
    {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
          if index >= width { try await group.next() }
          group.addTask { try await operation(index) }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The content of a file in pieces of 256 KiB.
  private struct FilePieces: AsyncSequence, Sendable {
    let file: URL

    struct AsyncIterator: AsyncIteratorProtocol {
      let handle: FileHandle

      mutating func next() async throws -> Data? { try handle.read(upToCount: 256 << 10) }
    }

    func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(handle: FileHandle(forReadingAtPath: file.path) ?? .nullDevice)
    }
  }
#endif
