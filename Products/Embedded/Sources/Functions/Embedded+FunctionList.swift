/// A function as people see it.
package struct FunctionDescription: Sendable, Hashable {
  /// How a function is called.
  package enum Kind: String, Sendable { case callable, request, event }

  package let name: String
  package let kind: Kind
  /// The region in which it is called; `nil` for all regions.
  package let region: String?
  /// The type of its events; `nil` for a function that is called by requests.
  package let event: String?
  /// The documents, the bucket or the database of its events; empty for all of them.
  package let subject: String
}

extension Embedded {
  /// The registered functions, in the order of their names.
  package var functionDescriptions: [FunctionDescription] {
    let called = functions.keys.map { name, region in
      FunctionDescription(name: name, kind: .callable, region: region, event: nil, subject: "")
    }
    let requested = requests.keys.map { name, region in
      FunctionDescription(name: name, kind: .request, region: region, event: nil, subject: "")
    }
    let triggered = [EventKind.Source.documents, .others].flatMap { events.functions(of: $0) }.map {
      FunctionDescription(
        name: $0.name, kind: .event, region: nil, event: $0.kind.rawValue,
        subject: $0.pattern.isEmpty ? $0.place : $0.pattern)
    }
    return (called + requested + triggered).sorted {
      ($0.name, $0.region ?? "") < ($1.name, $1.region ?? "")
    }
  }

  /// The last calls of each function that was called, by its name.
  package var functionCalls: [String: [FunctionCall]] { runner.calls.all }
}
