import ArgumentParser
import TenonRules
import TenonValues

/// Measures the evaluation of Security Rules.
struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Measures how long Security Rules take for one request, in time of the processor.",
    discussion: """
      The target for rules that read no documents is a million requests a second, 1,000 ns each. A write through the server with rules costs
      at most 1.2 of one without.
      """)

  @Flag(name: .customLong("json"), help: "Print the results as JSON.")
  var asJSON = false

  func run() async throws {
    let comparison = Comparison(measuresCPU: true)
    var measurements: [Measurement] = []
    for (name, condition) in Self.conditions {
      let rules = try SecurityRules(
        source: """
          rules_version = '2';
          service cloud.firestore {
            match /databases/{database}/documents {
              match /users/{user} { allow update: if \(condition); }
            }
          }
          """)
      let request = try Self.request()
      // Otherwise, this would measure how fast something is denied.
      guard rules.decision(request)?.isAllowed == true else {
        throw ValidationError("\(name) isn't allowed.")
      }
      let contender = Contender(name: name) { count in
        var allowed = 0
        for _ in 0..<count where rules.decision(request)?.isAllowed == true { allowed += 1 }
        return allowed
      }
      measurements.append(comparison([contender]))
    }
    measurements.append(try await RuledWrites.measure(comparison))
    try Report.print(measurements, asJSON: asJSON)
  }

  /// Conditions of apps, from simple ones on.
  static let conditions = [
    ("signed-in", "request.auth != null"),
    ("owner", "request.auth != null && request.auth.uid == user"),
    ("fields", "request.resource.data.name is string && request.resource.data.name.size() < 20"),
    (
      "changed-keys",
      "request.auth.uid == user && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name'])"
    ),
    ("regular-expression", "request.auth.token.email.matches('.*@corp[.]com')"),
  ]

  /// Returns the update of a document with ten fields.
  static func request() throws -> RulesRequest {
    var fields: Fields = ["name": "Ann"]
    for number in 0..<9 { fields["field\(number)"] = .integer(Int64(number)) }
    var changed = fields
    changed["name"] = "Anna"
    return RulesRequest(
      .write(
        try ResourcePath(document: "users/ann"), database: "(default)", document: .exists(fields),
        newDocument: changed), user: .user("ann", ["email": "ann@corp.com"]),
      time: Timestamp(seconds: 1_700_000_000))
  }
}
