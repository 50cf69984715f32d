import Foundation
import TenonFoundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

@Suite(.limited)
struct RulesSampleTests {
  /// The rules and requests of `Integration/Rules/Samples`, whose verdicts are those of Google's emulator.
  @Test func verdictsAreThoseOfTheSamples() throws {
    let files = try SampleFile.all()
    #expect(files.count >= 20)
    for file in files {
      let rules = try SecurityRules(source: file.source)
      #expect(rules.warnings.isEmpty, "\(file.name): \(rules.warnings)")
      let trial = RulesTrial(
        rules, documents: file.sample.documents, objects: file.sample.objects, time: Timestamp(date: Date()))
      for request in file.sample.requests {
        let outcome = try trial.decide(request.operation, as: request.user)
        #expect(
          outcome.isAllowed == request.isAllowed,
          "\(file.name), \(request.name): \(outcome.denial.map { "\($0.reasons)" } ?? "")")
      }
    }
  }
}
