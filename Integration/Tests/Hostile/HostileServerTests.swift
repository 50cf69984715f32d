import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  /// Every product against every misbehavior of a server.
  ///
  /// Descriptors and memory can only be counted in a process in which no other tests run. So the test runs
  /// the tests of this bundle again, in a separate process and with only ``HostileRun``.
  @Suite(.limited) struct HostileServerTests {
    @Test(.deep) func everyProductWithstandsEveryMisbehavior() async throws {
      let result = try await Executable(path: "/proc/self/exe").run(
        ["--testing-library", "swift-testing", "--filter", "HostileRun"],
        environment: [HostileRun.variable: "1"])
      print(result.lines.filter { $0.hasPrefix("HostileRun:") }.joined(separator: "\n"))
      #expect(result.status == 0, "\(result.output.suffix(20_000))\n\(result.errors.suffix(4_000))")
      #expect(result.lines.contains { $0.hasPrefix("HostileRun: leak") })
    }
  }

  /// The process that ``HostileServerTests`` starts.
  @Suite(.serialized, .limited(to: .seconds(3_600), of: .measurements))
  struct HostileRun {
    /// The environment variable that enables this suite.
    static let variable = "TENON_HOSTILE_RUN"
    static let isEnabled = ProcessInfo.processInfo.environment[variable] != nil

    @Test(.enabled(if: isEnabled))
    func everyExchangeEndsWellAndNothingLeaks() async throws {
      // What the process opens once, it opens now.
      try await run(in: .warmUp)
      let before = try await settledDescriptors(below: 0)
      let start = ContinuousClock.now
      var count = try await run(in: .whole)
      // Afterwards, caches and pools are filled.
      count += try await run(in: .withoutWaits)
      let memory = ProcessUsage.allocated()
      var exchanges = 0
      for _ in 0..<Self.rounds { exchanges += try await run(in: .withoutWaits) }
      // The system keeps about 400 bytes for each deadline until it would have passed, also if the exchange
      // has ended before. On a busy machine, more than that is still to be released.
      let growth = try await settledMemory(below: memory + exchanges << 10) - memory
      let after = try await settledDescriptors(below: before)
      let peak = try ProcessUsage.resident("VmHWM")
      print(
        "HostileRun: leak: \(count + exchanges) exchanges in \(ContinuousClock.now - start); descriptors \(before), then \(after); "
          + "heap \(memory >> 10) KiB, then \(growth >> 10) KiB more; at most \(peak >> 10) KiB resident")
      #expect(after <= before)
      #expect(growth < exchanges << 10)
      #expect(peak < 512 << 20)
    }

    /// The number of rounds in which the memory must not grow.
    private static let rounds =
      ProcessInfo.processInfo.environment["TENON_HOSTILE_ROUNDS"].flatMap { Int($0) } ?? 1

    /// Waits until no more descriptors than some number are open, but not for long, and returns their number.
    private func settledDescriptors(below count: Int) async throws -> Int {
      for _ in 0..<400 where try ProcessUsage.descriptors() > count {
        try await Task.sleep(for: .milliseconds(5))
      }
      return try ProcessUsage.descriptors()
    }

    /// Waits until fewer bytes than some number are allocated, at most a minute, and returns their number.
    private func settledMemory(below size: Int) async throws -> Int {
      for _ in 0..<600 where ProcessUsage.allocated() >= size {
        try await Task.sleep(for: .milliseconds(100))
      }
      return ProcessUsage.allocated()
    }

    /// A part of the run.
    private enum Part {
      /// One exchange of each operation.
      case warmUp
      /// All misbehaviors and cuts.
      case whole
      /// All misbehaviors that don't end with a deadline.
      case withoutWaits
    }

    /// Runs all operations with their own transport, and returns the number of exchanges.
    @discardableResult
    private func run(in part: Part) async throws -> Int {
      let transport = SystemTransport()
      let count = try await run(transport, part)
      try await eventually { transport.openExchanges == 0 }
      print("HostileRun: \(part), \(ProcessUsage.allocated() >> 10) KiB")
      return count
    }

    /// Runs all operations against all misbehaviors, and returns the number of exchanges.
    private func run(_ transport: SystemTransport, _ part: Part) async throws -> Int {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for operation in HostileOperation.allCases {
          for step in 0..<operation.steps {
            group.addTask { try await run(operation, step, transport, part) }
          }
        }
        return try await group.reduce(0, +)
      }
    }

    /// Runs one operation, of which the requests from one on are affected.
    private func run(
      _ operation: HostileOperation, _ step: Int, _ transport: SystemTransport, _ part: Part
    ) async throws -> Int {
      let app = try await HostileApp(operation, transport)
      defer { app.close() }
      app.backend.begin()
      let correct = try await app.run()
      guard let response = app.backend.responses.dropFirst(step).first else {
        throw HostileApp.Failure(description: "\(operation) has no request \(step)")
      }
      var misbehaviors = Misbehavior.all + Misbehavior.documents
      switch part {
      case .warmUp: misbehaviors = Misbehavior.all.filter { $0.expected == .correct }.suffix(2)
      case .whole:
        for form in [Misbehavior.Form.sized, .chunked] {
          misbehaviors += Misbehavior.cuts(of: response, form, positions: 16)
        }
      case .withoutWaits:
        misbehaviors.removeAll { $0.expected == .deadline || $0.expectedOfStream == .deadline }
      }
      for misbehavior in misbehaviors {
        let trial = HostileTrial(app: app, misbehavior: misbehavior, step: step, correct: correct)
        if let finding = try await trial.run() {
          Issue.record("\(operation), request \(step), \(misbehavior): \(finding)")
        }
      }
      return misbehaviors.count
    }
  }

  /// One exchange with a hostile server.
  struct HostileTrial {
    let app: HostileApp
    let misbehavior: Misbehavior
    let step: Int
    /// The description of the correct result.
    let correct: String

    /// Returns what is wrong with the outcome; `nil` if nothing is.
    func run() async throws -> String? {
      let expected = app.operation.isStreamed ? misbehavior.expectedOfStream : misbehavior.expected
      let before = try app.state()
      var patience = expected == .deadline ? Duration.milliseconds(100) : HostileTransport.longest
      var outcome: Result<String, any Error>?
      var played = 0
      var attempts = 0
      repeat {
        attempts += 1
        app.transport.patience.withLock { [patience] in $0 = patience }
        app.server.play(misbehavior, after: step)
        outcome = try await TimeSource.system.value(by: .now + .seconds(90)) { [app] in
          do { return .success(try await app.run()) } catch { return .failure(error) }
        }
        played = app.server.played
        app.server.play(nil)
        app.transport.patience.withLock { $0 = HostileTransport.longest }
        // On a busy machine, the deadline may pass before the server has read the request. A request that
        // isn't repeated fails if it is sent on a connection that the server is closing after the previous
        // trial.
        if expected == .deadline { patience *= 2 }
      } while played == 0 && attempts < 8
      guard let outcome else { return "it doesn't end" }
      guard played > 0 else { return "it was never played" }
      switch outcome {
      case .success(let result): return accept(result, expected)
      case .failure(let error):
        let after = try app.state()
        guard after == before else { return "\(error), but the state has changed: \(before) \(after)" }
        return judge(error, expected)
      }
    }

    /// Returns why a result is wrong; `nil` if it isn't.
    private func accept(_ result: String, _ expected: Misbehavior.Outcome) -> String? {
      switch expected {
      case .correct: result == correct ? nil : "\(result) instead of \(correct)"
      case .other(let status) where 200..<300 ~= status && app.operation.isOpaque: nil
      case .other(200) where result == correct: nil
      default: "success with \(result.prefix(200))"
      }
    }

    /// Returns why an error is wrong; `nil` if it isn't.
    private func judge(_ error: any Error, _ expected: Misbehavior.Outcome) -> String? {
      guard app.operation.isTyped(error) else { return "\(type(of: error)) \(error)" }
      let cause = HostileOperation.cause(of: error)
      switch expected {
      case .correct: return "\(error)"
      case .other: return nil
      case .error(let code, let limit):
        // A download that is too large is refused by its size.
        if cause == nil, app.operation == .data { return nil }
        guard cause?.code == code, cause?.limit == limit else {
          return "\(error) of \(String(describing: cause))"
        }
        return nil
      case .either(let first, let second):
        return [first, second].contains(cause?.code) ? nil : "\(error)"
      case .deadline:
        if cause == nil, app.operation == .data { return nil }
        return cause?.code == .timedOut ? nil : "\(error) of \(String(describing: cause))"
      }
    }
  }
#endif
