import Foundation
import TenonFunctions

/// Calls a function and looks at its result in a closure.
func callFunctionWithCompletion() throws {
  let functions = try Functions.functions()
  // expect: 'call(_:completion:)' is unavailable: Calls are asynchronous: let result = try await callable.call(data), in a Task { … } if need be.
  functions.httpsCallable("addBerth").call(["text": "A 12"]) { result, error in
    if let error {
      print(error.localizedDescription)
    }
    if let data = result?.data as? [String: Any], let text = data["text"] as? String {
      print(text)
    }
  }
  // expect: 'call(_:completion:)' is unavailable: Calls are asynchronous: let result = try await callable.call(data), in a Task { … } if need be.
  functions.httpsCallable("tidy").call { result, error in
    print(result?.data as Any, error as Any)
  }
}
