import Foundation
import TenonFunctions

/// Calls a function and looks at its result.
func callFunction() async throws {
  let functions = try Functions.functions()
  do {
    let result = try await functions.httpsCallable("addBerth").call(
      ["text": "A 12", "size": 4] as [String: Any])
    if let data = result.data as? [String: Any], let text = data["text"] as? String {
      print(text)
    }
  } catch {
    // expect: 'FunctionsErrorDomain' is unavailable: The error is a FunctionsError: catch let error as FunctionsError.
    if let error = error as NSError?, error.domain == FunctionsErrorDomain {
      // expect: 'FunctionsErrorCode' has been renamed to 'FunctionsError.Code'
      // expect: 'init(rawValue:)' is unavailable: Codes have no numbers: (error as? FunctionsError)?.code == .notFound.
      let code = FunctionsErrorCode(rawValue: error.code)
      let message = error.localizedDescription
      // expect: 'FunctionsErrorDetailsKey' is unavailable: The details are a property: (error as? FunctionsError)?.details.
      let details = error.userInfo[FunctionsErrorDetailsKey]
      print(code as Any, message, details as Any)
    }
  }
}
