#if os(Linux)
  import ArgumentParser
  import Foundation

  /// The command `storage`: measures the transfer of objects.
  struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "storage",
      abstract: "Measures uploads and downloads of objects beside curl and google-cloud-storage.",
      discussion: """
        upload, download: one large object, from and to a file. All contenders use one server on this machine, which sends \
        from the page cache and discards what it receives. Tenon computes the MD5 and the CRC32C, compares them with the \
        server's, and flushes a downloaded file to the disk. curl does none of this; curl-then-hashes does the same with the \
        programs openssl and google-crc32c after the transfer; curl-beside-hashes computes the hashes in processes of their \
        own at the same time, and flushes nothing.

        upload-stream, download-stream: the same content as a stream of pieces; curl sends the file, and discards what it \
        receives.

        upload-memory, download-memory: the largest resident memory of the process during the transfer, less that before it; \
        for curl, less that of the same program with a small object.

        objects-1, objects-32: many objects of 1 KiB, one at a time or 32 at a time, on tenon-server, which keeps them in \
        memory. google-cloud-storage uses the JSON form of the service, with a pool of threads.

        A contender that isn't installed is left out. A ratio is Tenon's value divided by the contender's: below 1, Tenon \
        takes less; 1.11 is 0.9 of the speed.
        """
    )

    /// The server of large objects.
    enum Server: String, ExpressibleByArgument {
      case fast, embedded
    }

    @Flag(help: "Print one JSON array on standard output.")
    var json = false

    @Option(help: "How often each measurement is repeated; the median is printed.")
    var repeats = 5

    @Option(help: "The size of a large object in MiB.")
    var size = 1_024

    @Option(help: "The number of small objects.")
    var objects = 10_000

    @Option(
      help:
        "The server of large objects: fast, or embedded for tenon-server, which stores and hashes them.")
    var server = Server.fast

    @Option(
      help:
        "Where the files are created, and removed at the end; the system's temporary directory by default.")
    var directory: String?

    @Option(help: "The Python interpreter with google-cloud-storage and google-crc32c.")
    var python = ".build-venv/bin/python"

    @Option(help: "The folder of the Python scripts.")
    var peers = "Tools/Bench/Peers"

    @Option(
      help:
        "Take only the measurements whose names begin with this: upload, download, stream, objects-1, objects-32."
    )
    var only = ""

    func validate() throws {
      guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
      guard size > 0, size <= 1 << 20 else {
        throw ValidationError("--size must be from 1 to \(1 << 20), not \(size).")
      }
      guard objects > 0 else { throw ValidationError("--objects must be at least 1, not \(objects).") }
    }

    func run() throws {
      let bench = try StorageBench(
        in: directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory,
        python: URL(filePath: python), peers: URL(filePath: peers), size: size << 20,
        usesEmbedded: server == .embedded)
      defer { bench.end() }
      var measurements: [TransportMeasurement] = []
      let all: [(name: String, run: () throws -> [TransportMeasurement])] = [
        ("upload", { try bench.transfers(.upload, repeats) }),
        ("download", { try bench.transfers(.download, repeats) }),
        (
          "stream",
          {
            try bench.transfers(.uploadStream, repeats) + bench.transfers(.downloadStream, repeats)
          }
        ),
        ("objects-1", { try bench.objects(objects, atOnce: 1, repeats) }),
        ("objects-32", { try bench.objects(objects, atOnce: 32, repeats) }),
      ]
      for (name, run) in all where name.hasPrefix(only) {
        // Some take a while. The name shows which one is slow or hangs.
        StorageBench.say("measuring \(name)")
        measurements += try run()
      }
      try TransportMeasurement.print(measurements, asJSON: json)
    }
  }
#endif
