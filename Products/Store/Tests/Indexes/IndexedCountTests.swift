import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// Counts of many entries, which are read in steps.
@Suite(.limited) struct IndexedCountTests {
  /// How the values of a field are distributed.
  enum Values: CaseIterable {
    case distinct, equal, few, mixed, texts

    func value(_ number: Int, _ random: inout SeededGenerator) -> Value {
      switch self {
      case .distinct: .integer(Int64(number))
      case .equal: 7
      case .few: .integer(Int64(number % 3))
      case .mixed: .integer(Int64(Int.random(in: 0..<40, using: &random) * 100))
      case .texts: .string(String(repeating: "\u{0}", count: number % 5) + "\(number % 50)")
      }
    }
  }

  @Test(arguments: DeepTests.few(1, of: Values.allCases)) func countsAreRightAcrossTheStepsOfAScan(
    values: Values
  ) async throws {
    var random = SeededGenerator(seed: 1)
    let store = makeStore(settings: StoreSettings(fieldIndexing: .everyField))
    var written: [Value] = []
    for start in stride(from: 0, to: 6_000, by: 500) {
      let batch = store.batch()
      for number in start..<start + 500 {
        let value = values.value(number, &random)
        written.append(value)
        try batch.setData(["n": value], forDocument: store.document("c/\(number)"))
      }
      // Entries of other fields and collections are before and after those that are counted.
      for document in ["b/\(start)", "c/other\(start)", "d/\(start)"] {
        let isOther = document.hasPrefix("c")
        let fields: Fields = isOther ? ["a": 1, "z": 1] : ["n": 1]
        try batch.setData(fields, forDocument: store.document(document))
      }
      try await batch.commit()
    }
    let collection = store.collection("c")
    #expect(try await collection.order(by: "n").count.getAggregation().count == written.count)
    let sorted = written.sorted { $0.compare($1) < 0 }
    for position in [0, 1, 63, 64, 65, 319, 320, 321, 1_343, 1_344, 1_345, 5_439, 5_440, 5_441, 5_999] {
      let value = sorted[position]
      let (fewer, equal) = (written.count { $0.compare(value) < 0 }, written.count { $0.compare(value) == 0 })
      let counts: [(Query, Int)] = [
        (collection.whereField("n", isEqualTo: value), equal),
        (collection.whereField("n", isGreaterThan: value), written.count - fewer - equal),
        (collection.whereField("n", isGreaterThanOrEqualTo: value), written.count - fewer),
        (collection.whereField("n", isLessThan: value), fewer),
        (collection.whereField("n", isLessThanOrEqualTo: value), fewer + equal),
      ]
      for (query, count) in counts {
        #expect(try await query.explain().index == "values of n")
        #expect(try await query.count.getAggregation().count == count, "\(query) at \(position)")
      }
    }
  }
}
