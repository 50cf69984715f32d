#if os(Linux)
  import ArgumentParser

  /// Measures what a server does for its users.
  struct AuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "auth",
      abstract:
        "Measures verifications of ID tokens, and sign-ups and sign-ins of the backend, in time of the processor.",
      discussion: """
        verify-id-token: one token of 700 bytes, with Google's keys already loaded. The target is 50,000 a second on one core, 20,000 ns. Beside
        it is the bare check of the signature (RS256, 2048 bits) by libcrypto, which is the least that it can take.

        sign-up, sign-in: with a password, through the backend's server. Nearly all of it is the hash of the password, which is meant to take
        long; beside it is the same with the hash for tests (EmbeddedSettings.fastPasswordHashing).
        """)

    @Flag(name: .customLong("json"), help: "Print one JSON array on standard output.")
    var asJSON = false
    @Option(help: "How often each measurement is repeated; the median is printed.")
    var repeats = 11

    func validate() throws {
      guard (1...1_000).contains(repeats) else { throw ValidationError("--repeats is from 1 to 1000.") }
    }

    func run() async throws {
      let comparison = Comparison(repeats: repeats, measuresCPU: true)
      var measurements = [try await TokenVerification.measure(comparison)]
      measurements += try await PasswordAccounts.measure(comparison)
      try Report.print(measurements, asJSON: asJSON)
    }
  }
#endif
