import TenonRules
import TenonStore

func decide(
  _ text: String, _ path: ResourcePath, _ fields: Fields, _ documents: some RulesDocuments, _ now: Timestamp
) async throws {
  // sample: decision
  let rules = try SecurityRules(source: text)
  let request = RulesRequest(
    .get(path, database: "(default)", document: .exists(fields)), user: RulesUser(uid: "ann"), time: now)
  let decision = try await rules.evaluate(request, documents: documents)
  print(decision.isAllowed, decision.reasons.first?.message ?? "")
  // sample: end
}
