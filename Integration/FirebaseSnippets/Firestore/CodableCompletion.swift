import TenonStore

/// A model.
struct Berth: Codable {
  var length: Double
}

/// Reads a model in a closure.
func readModelWithCompletion() throws {
  // expect: 'getDocument(as:completion:)' is unavailable: The call is asynchronous: try await document.getDocument(as: Model.self), in a Task { … } if need be.
  try Store.store().collection("berths").document("1").getDocument(as: Berth.self) { result in
    switch result {
    case .success(let berth): print(berth.length)
    case .failure(let error): print(error)
    }
  }
}

/// Writes a model and hears of it in a closure.
func writeModelWithCompletion(berth: Berth) throws {
  // expect: 'setData(from:merge:completion:)' is unavailable: The call is asynchronous: try await document.setData(from: value), in a Task { … } if need be.
  try Store.store().collection("berths").document("1").setData(from: berth) { error in
    print(error as Any)
  }
  // expect: 'async' call in a function that does not support concurrency
  try Store.store().collection("berths").document("1").setData(from: berth, merge: true)
}
