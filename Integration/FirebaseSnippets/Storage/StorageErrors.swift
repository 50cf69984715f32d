import Foundation
import TenonStorage

/// Looks at the kind of an error.
func storageErrors() async {
  do {
    _ = try await Storage.storage().reference(withPath: "a").getMetadata()
  } catch let error as StorageError {
    switch error {
    // expect: '_' can only appear in a pattern or on the left side of an assignment
    case .objectNotFound(let object, _): print(object)
    // expect: '~=' is unavailable: Errors aren't compared; their codes are: switch error.code { … }.
    // expect: 'unauthorized' is unavailable: An error has a code: switch error.code { case .unauthorized: … }.
    case .unauthorized: print("not allowed")
    default: print(error.localizedDescription)
    }
  } catch {
    print(error)
  }
}
