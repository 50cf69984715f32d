import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonWebChannel

/// The two state machines against each other, with a network that does its worst.
///
/// `TENON_CHANNELS` sets the number of runs of each kind.
@Suite(.limited) struct SimulationTests {
  /// A kind of network, with the share of runs in percent in which everything must arrive.
  struct Kind: CustomTestStringConvertible, Sendable {
    let name: String
    let share: Int
    let conditions: @Sendable (_ random: inout SeededGenerator) -> NetworkConditions
    var testDescription: String { name }
  }

  static let kinds: [Kind] = [
    Kind(name: "delays and single bytes", share: 100) { random in
      var conditions = NetworkConditions(delay: .milliseconds(Int64.random(in: 0...900, using: &random)))
      conditions.pieces = 1...Int.random(in: 1...60, using: &random)
      conditions.pause = .milliseconds(Int64.random(in: 0...2_000, using: &random))
      return conditions
    },
    Kind(name: "broken connections", share: 60) { random in
      NetworkConditions(breaks: Int.random(in: 1...40, using: &random))
    },
    Kind(name: "duplicated and reordered requests", share: 100) { random in
      NetworkConditions(duplicates: 60)
    },
    Kind(name: "silence", share: 60) { random in
      NetworkConditions(silences: Int.random(in: 1...15, using: &random))
    },
    Kind(name: "everything together", share: 40) { random in
      var conditions = NetworkConditions(breaks: 15, silences: 3, duplicates: 20)
      conditions.client.postMessages = Int.random(in: 1...5, using: &random)
      conditions.server.outboxEntries = Int.random(in: 1...10, using: &random)
      conditions.client.unconsumedBytes = Int.random(in: 1...1_000, using: &random)
      conditions.consumption = .milliseconds(Int64.random(in: 0...3_000, using: &random))
      conditions.client.usesLongPolling = Bool.random(using: &random)
      return conditions
    },
    Kind(name: "long polling", share: 100) { random in
      var conditions = NetworkConditions(duplicates: 10)
      conditions.client.usesLongPolling = true
      conditions.pause = .milliseconds(Int64.random(in: 0...9_000, using: &random))
      return conditions
    },
    Kind(name: "a buffering proxy", share: 100) { random in
      var conditions = NetworkConditions(buffers: true)
      conditions.pause = .milliseconds(Int64.random(in: 0...3_000, using: &random))
      return conditions
    },
    Kind(name: "small queues and a slow consumer", share: 100) { random in
      var conditions = NetworkConditions()
      conditions.pause = .zero
      conditions.client.unconsumedBytes = Int.random(in: 1...2_000, using: &random)
      conditions.client.queuedMessages = Int.random(in: 1...5, using: &random)
      conditions.client.postBytes = Int.random(in: 1...2_000, using: &random)
      conditions.server.outboxEntries = Int.random(in: 1...20, using: &random)
      conditions.server.outboxBytes = Int.random(in: 1...4_000, using: &random)
      conditions.server.frameBytes = Int.random(in: 1...500, using: &random)
      conditions.consumption = .milliseconds(Int64.random(in: 0...5_000, using: &random))
      return conditions
    },
    Kind(name: "long silences of both sides", share: 100) { random in
      var conditions = NetworkConditions(messages: 6)
      conditions.pause = .seconds(200)
      return conditions
    },
  ]

  @Test(arguments: kinds)
  func everyMessageArrivesOnceInOrderOrTheChannelEnds(kind: Kind) throws {
    let seeds = TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(10, deep: 150))
    var complete = 0
    for seed in seeds {
      var random = SeededGenerator(seed: seed &+ 77)
      let conditions = kind.conditions(&random)
      var run = try Simulation(conditions, seed: seed)
      try run.run()
      let comment: Comment = "seed \(seed), \(kind.name), end \(String(describing: run.end))"
      #expect(run.receivedByServer == Array(run.sentByClient.prefix(run.receivedByServer.count)), comment)
      #expect(run.receivedByClient == Array(run.sentByServer.prefix(run.receivedByClient.count)), comment)
      #expect(run.faults.isEmpty, "\(run.faults.first ?? ""), \(comment)")
      #expect(run.isComplete ? run.end == .closed : run.end != .closed, comment)
      #expect(run.session?.isEnded != false, "The session is left behind, \(comment)")
      if case .invalid(let error) = run.end { Issue.record("\(error), \(comment)") }
      if run.isComplete { complete += 1 }
    }
    #expect(complete * 100 >= seeds.count * kind.share, "\(complete) of \(seeds.count) runs are complete.")
  }

  @Test(arguments: [ChannelQuery.Kind.backChannel, .forward], [0, 1, 2])
  func aConnectionCutAtEveryByteLosesAndRepeatsNothing(kind: ChannelQuery.Kind, ordinal: Int) throws {
    // A cut behind the end has no effect.
    var cuts = 0
    // By default, every seventh byte of the long responses, which meets every part of a frame somewhere.
    let step = kind == .forward ? 1 : DeepTests.count(7, deep: 1)
    for bytes in stride(from: 0, through: kind == .forward ? 40 : 600, by: step) {
      // Messages are rarer than answers, so that there are several POSTs.
      var conditions = NetworkConditions(delay: .milliseconds(10), messages: 8)
      // Only then is there more than one back channel.
      conditions.client.usesLongPolling = kind == .backChannel && ordinal > 0
      conditions.pause = .milliseconds(300)
      conditions.cut = (kind, ordinal, bytes)
      var run = try Simulation(conditions, seed: UInt64(bytes))
      try run.run()
      #expect(run.isComplete && run.end == .closed, "byte \(bytes), end \(String(describing: run.end))")
      #expect(run.receivedByServer == run.sentByClient && run.receivedByClient == run.sentByServer)
      #expect(run.faults.isEmpty, "byte \(bytes)")
      cuts += run.cuts
    }
    // Answers to POSTs have about 10 bytes.
    #expect(cuts >= (kind == .forward ? 8 : 30 / step))
  }

  @Test func theSameSeedGivesTheSameRun() throws {
    var conditions = NetworkConditions(breaks: 20, silences: 3, duplicates: 20)
    conditions.consumption = .seconds(1)
    var first = try Simulation(conditions, seed: 3)
    var second = try Simulation(conditions, seed: 3)
    try first.run()
    try second.run()
    #expect(first.steps == second.steps && first.now == second.now && first.end == second.end)
  }

  @Test func theOutboxAndTheReceiveBufferAreBounded() throws {
    for seed in TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(5, deep: 50)) {
      var conditions = NetworkConditions(messages: 200)
      conditions.pause = .zero
      conditions.server.outboxEntries = 10
      conditions.server.frameBytes = 100
      conditions.client.unconsumedBytes = 500
      conditions.consumption = .seconds(2)
      var run = try Simulation(conditions, seed: seed)
      try run.run()
      #expect(run.isComplete)
      // One noop may come on top of the limit.
      #expect(run.mostUnacknowledged <= 11, "seed \(seed)")
      // The limit, and one message.
      #expect(run.mostUnconsumed < 500 + 300, "seed \(seed)")
    }
  }
}
