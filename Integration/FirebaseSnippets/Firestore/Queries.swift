import TenonStore

/// The operators of queries.
func queries() throws {
  let harbours = try Store.store().collection("harbours")
  _ = harbours.whereField("country", isEqualTo: "Sweden")
  _ = harbours.whereField("country", isNotEqualTo: "Sweden")
  _ = harbours.whereField("berths", isLessThan: 100)
  _ = harbours.whereField("berths", isLessThanOrEqualTo: 100)
  _ = harbours.whereField("berths", isGreaterThan: 100)
  _ = harbours.whereField("berths", isGreaterThanOrEqualTo: 100)
  _ = harbours.whereField("lines", arrayContains: "stena")
  _ = harbours.whereField("lines", arrayContainsAny: ["stena", "dfds"])
  _ = harbours.whereField("country", in: ["Sweden", "Norway"])
  _ = harbours.whereField("country", notIn: ["Sweden", "Norway"])
  _ = harbours.whereField(FieldPath.documentID(), isEqualTo: "GOT")
  _ = harbours.whereField(FieldPath(["master", "name"]), isEqualTo: "Kim")
  _ = harbours.order(by: "name").limit(to: 3)
  _ = harbours.order(by: "name", descending: true).limit(toLast: 3)
  _ = harbours.order(by: "country").order(by: "berths", descending: true)
}
