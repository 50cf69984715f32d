import TenonStore

/// Filters that are joined.
func orQueries() async throws {
  let query = try Store.store().collection("harbours")
    .whereFilter(
      Filter.andFilter([
        Filter.whereField("country", isEqualTo: "Sweden"),
        Filter.orFilter([
          Filter.whereField("isOpen", isEqualTo: true),
          Filter.whereField("berths", isGreaterThan: 1000),
          Filter.whereField("berths", isGreaterOrEqualTo: 1000),
          Filter.whereField("berths", isLessThanOrEqualTo: 10),
          Filter.whereField("lines", arrayContains: "stena"),
          Filter.whereField("lines", arrayContainsAny: ["stena"]),
          Filter.whereField("country", in: ["Sweden"]),
          Filter.whereField("country", notIn: ["Norway"]),
          Filter.whereField("country", isNotEqualTo: "Norway"),
        ]),
      ]))
  print(try await query.getDocuments().count)
}
