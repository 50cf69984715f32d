import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonValues

/// What the data browser shows of functions.
struct BrowserFunctions {
  private let embedded: Embedded

  init(_ embedded: Embedded) { self.embedded = embedded }

  /// The greatest number of failed events that are listed.
  private static let mostFailures = 50

  /// Returns the functions with their last calls, and the events that they didn't handle.
  func list() async throws -> JSON {
    var calls = embedded.functionCalls
    var functions = embedded.functionDescriptions.map { function in
      JSON.members([
        "name": .string(function.name), "kind": .string(function.kind.rawValue),
        "region": function.region.map(JSON.string), "event": function.event.map(JSON.string),
        "subject": function.subject.isEmpty ? nil : .string(function.subject),
        "calls": Self.list(calls[function.name] ?? []),
      ])
    }
    for function in embedded.functionDescriptions { calls[function.name] = nil }
    // Blocking functions have no names, so their calls have those of the events.
    functions += calls.sorted { $0.key < $1.key }.map { name, calls in
      ["name": .string(name), "kind": "blocking", "calls": Self.list(calls)]
    }
    let failures = try await embedded.failedEvents(limit: Self.mostFailures).map { event -> JSON in
      [
        "id": .string(event.id), "function": .string(event.function), "type": .string(event.type),
        "subject": .string(event.subject), "time": .string("\(event.time)"),
        "attempts": .int(Int64(event.attempts)), "error": .string(event.error),
      ]
    }
    return ["functions": .array(functions), "failures": .array(failures)]
  }

  /// Returns calls, the last one first.
  private static func list(_ calls: [FunctionCall]) -> JSON {
    .array(
      calls.reversed().map { call in
        JSON.members([
          "time": .string("\(call.start)"), "milliseconds": .double(call.duration / .milliseconds(1)),
          "error": call.error.map(JSON.string),
        ])
      })
  }
}
