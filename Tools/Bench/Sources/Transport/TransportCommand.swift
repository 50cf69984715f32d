#if os(Linux)
  import ArgumentParser
  import Foundation

  /// The command `transport`: measures the HTTP transport.
  struct TransportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "transport",
      abstract: "Measures the HTTP transport beside curl, URLSession and async-http-client on one server.",
      discussion: """
        All contenders send the same requests to one server on this machine. Each measurement of a contender is a process of \
        its own, so that memory can be compared, and contenders take turns.

        curl: the program of that name; its time of a request is its own %{time_total} on a connection that is used again.

        urlsession, async-http-client: the programs of the package Tools/Bench/Peers, which Tenon doesn't depend on. Build \
        them first: swift build -c release --package-path Tools/Bench/Peers

        A contender that isn't installed is left out. A ratio is Tenon's value divided by the contender's: below 1, Tenon \
        takes less. memory is the largest resident memory of the process during the transfer, less that of the same program \
        during one small request. start is the time until main of a program that links every product, beside programs that \
        link Core alone and nothing.
        """
    )

    @Flag(help: "Print one JSON array on standard output.")
    var json = false

    @Option(help: "How often each measurement is repeated; the median is printed.")
    var repeats = 5

    @Option(help: "The number of requests of a measurement of latency.")
    var requests = 4_000

    @Option(help: "The number of requests of a measurement of concurrent requests.")
    var requestsAtOnce = 30_000

    @Option(help: "The size of a large body in MiB.")
    var size = 1_024

    @Option(help: "The folder of the programs of the package Tools/Bench/Peers.")
    var peers = "Tools/Bench/Peers/.build/release"

    @Option(
      help:
        "Take only the measurements whose names begin with this: get-1, get-64, download, upload, stream, start."
    )
    var only = ""

    func validate() throws {
      guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
      guard requests > 0, requestsAtOnce >= 64 else {
        throw ValidationError("--requests must be at least 1, and --requests-at-once at least 64.")
      }
      guard size > 0 else { throw ValidationError("--size must be at least 1, not \(size).") }
    }

    func run() throws {
      let bench = try TransportBench(peers: URL(filePath: peers), size: size << 20)
      defer { bench.end() }
      var measurements: [TransportMeasurement] = []
      let all: [(name: String, run: () throws -> [TransportMeasurement])] = [
        ("get-1", { try bench.gets(requests, atOnce: 1, repeats) }),
        ("get-64", { try bench.gets(requestsAtOnce, atOnce: 64, repeats) }),
        ("download", { try bench.transfers(.download, repeats) }),
        ("upload", { try bench.transfers(.upload, repeats) }),
        ("stream", { try bench.transfers(.stream, repeats) }),
        ("start", { try StartBench.measure(repeats: repeats * 8 + 1) }),
      ]
      for (name, run) in all where name.hasPrefix(only) {
        // Some take a while. The name shows which one is slow or hangs.
        FileHandle.standardError.write(Data("measuring \(name)\n".utf8))
        measurements += try run()
      }
      try TransportMeasurement.print(measurements, asJSON: json)
    }
  }
#endif
