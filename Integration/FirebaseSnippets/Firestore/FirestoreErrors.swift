import Foundation
import TenonStore

/// Looks at the code of an error.
func errors() async {
  do {
    try await Store.store().document("harbours/GOT").updateData(["berths": 1])
    // expect: 'FirestoreErrorDomain' is unavailable: The error is a StoreError: catch let error as StoreError.
  } catch let error as NSError where error.domain == FirestoreErrorDomain {
    // expect: 'FirestoreErrorCode' has been renamed to 'StoreError.Code': An error is a StoreError, whose code is a StoreError.Code: (error as? StoreError)?.code == .notFound.
    // expect: 'init(rawValue:)' is unavailable: Codes have no numbers: (error as? StoreError)?.code == .notFound.
    switch FirestoreErrorCode.Code(rawValue: error.code) {
    case .permissionDenied: print("not allowed")
    case .notFound: print("not there")
    default: print(error.localizedDescription)
    }
  } catch {
    print(error)
  }
}

/// Looks at the code of an error, in the short form.
func errorsInShort(error: Error) {
  // expect: 'FirestoreErrorCode' has been renamed to 'StoreError.Code': An error is a StoreError, whose code is a StoreError.Code: (error as? StoreError)?.code == .notFound.
  // expect: 'init(rawValue:)' is unavailable: Codes have no numbers: (error as? StoreError)?.code == .notFound.
  if let code = FirestoreErrorCode.Code(rawValue: (error as NSError).code), code == .unavailable {
    print("offline")
  }
}
