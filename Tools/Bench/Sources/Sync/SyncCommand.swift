#if os(Linux)
  import ArgumentParser
  import Foundation

  /// The command `sync`: measures Store with StoreSync.
  struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sync",
      abstract:
        "Measures Store with StoreSync on tenon-server and on Google's emulator, beside google-cloud-firestore.",
      discussion: """
        All clients store the same documents, with five fields and about 300 bytes, as the emulators' administrator, for whom \
        no rules are evaluated. Each measurement of a client is a separate process, whose loading and connecting isn't \
        measured; clients take turns in random order. Swift's devices keep everything durably on the disk; Python's client keeps \
        nothing. Both servers keep documents in memory.

        listener: from the call of a write on one device until a listener on another device has its snapshot.

        single: documents per second, each written when the server has confirmed the previous one.

        batch: documents per second in batches of 500.

        queued: documents per second when a device that was offline sends the writes of separate calls. Python's client has no \
        queue, and sends batches of 500.

        listen-N: the first listen to N documents, until each has been read once.

        start: from the start of a server's process until it is ready, and its resident memory a second later.

        -bytes: the bytes on the wire of both directions, of one operation or of the whole listen, counted by a proxy in a run of \
        its own; all bytes of the process are included, also those of connecting. -memory: the largest resident memory of the \
        client's process during the operations. -added-memory: the same, less the resident memory before the operations.

        What isn't installed is left out. Ratios: Swift on the emulator divided by Python on the emulator, and tenon-server \
        divided by the emulator, with Swift: below 1, the first takes less time or space. Ratios above 1 are listed at the end.
        """
    )

    @Flag(help: "Print one JSON array on standard output.")
    var json = false

    @Option(help: "How often each measurement is repeated; the median is printed.")
    var repeats = 5

    @Option(
      name: .customLong("warm-ups"),
      help: "How often each client runs before it is measured. Google's emulator compiles what it runs often."
    )
    var warmUps = 3

    @Option(parsing: .upToNextOption, help: "The numbers of documents to listen to.")
    var documents = [1_000, 10_000, 100_000]

    @Option(
      help:
        "The number of single writes and of changes for the listener; 10 times as many are queued, 20 times as many sent in batches."
    )
    var writes = 500

    @Option(
      help:
        "Where the databases are created, and removed at the end; the system's temporary directory by default."
    )
    var directory: String?

    @Option(
      name: .customLong("tenon-server"),
      help: "The program tenon-server; the one in the folder of this program by default.")
    var tenonServer: String?

    @Option(help: "The Python interpreter with google-cloud-firestore.")
    var python = ".build-venv/bin/python"

    @Option(help: "The folder of the Python scripts.")
    var peers = "Tools/Bench/Peers"

    @Option(
      help:
        "Take only the measurements whose names begin with this: start, listener, single, batch, queued, listen-."
    )
    var only = ""

    func validate() throws {
      guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
      guard warmUps >= 0, warmUps <= 1_000 else {
        throw ValidationError("--warm-ups must be from 0 to 1,000, not \(warmUps).")
      }
      guard writes > 0, writes <= 1_000_000 else {
        throw ValidationError("--writes must be from 1 to 1,000,000, not \(writes).")
      }
      for count in documents where count < 1 || count > 10_000_000 {
        throw ValidationError("--documents must be from 1 to 10,000,000, not \(count).")
      }
    }

    func run() throws {
      let bench = try SyncBench(
        in: directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory,
        embedded: tenonServer.map { URL(filePath: $0) } ?? StorageServer.program("tenon-server"),
        python: URL(filePath: python), peers: URL(filePath: peers), warmUps: warmUps)
      defer { bench.end() }
      var all: [(name: String, run: (String) throws -> [SyncMeasurement])] = [
        ("start", { _ in try bench.start(repeats: repeats) }),
        ("listener", { try bench.measure(.listener, $0, count: writes, repeats: repeats) }),
        ("single", { try bench.measure(.single, $0, count: writes, isRate: true, repeats: repeats) }),
        ("batch", { try bench.measure(.batch, $0, count: writes * 20, isRate: true, repeats: repeats) }),
        ("queued", { try bench.measure(.queued, $0, count: writes * 10, isRate: true, repeats: repeats) }),
      ]
      for count in documents {
        all.append(("listen-\(count)", { try bench.measure(.listen, $0, count: count, repeats: repeats) }))
      }
      var measurements: [SyncMeasurement] = []
      for (name, run) in all where name.hasPrefix(only) {
        // Some take a while. The name shows which one is slow or hangs.
        StorageBench.say("measuring \(name)")
        measurements += try run(name)
      }
      try SyncMeasurement.print(measurements, asJSON: json)
    }
  }
#endif
