import Foundation
import TenonStore

/// One field of every kind.
func writeEveryType() async throws {
  let contents: [String: Any] = [
    "text": "Grüezi",
    "yes": true,
    "number": 3.14159265,
    "date": Timestamp(date: Date()),
    "now": Timestamp(),
    "list": [5, true, "hello"] as [Any],
    "nothing": NSNull(),
    "place": GeoPoint(latitude: 57.7, longitude: 11.9),
    "bytes": Data([1, 2, 3]),
    "object": [
      "a": 5,
      "b": ["nested": "foo"],
    ] as [String: Any],
  ]
  // expect: 'setData(_:merge:)' is unavailable: a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)
  try await Store.store().collection("data").document("one").setData(contents)
}
