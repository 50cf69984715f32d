import Foundation
import TenonStorage

/// Uploads a file and follows its progress.
func uploadFile(localFile: URL) throws {
  let metadata = StorageMetadata()
  // expect: cannot assign to property: 'metadata' is a 'let' constant
  metadata.contentType = "image/jpeg"
  let uploadTask = try Storage.storage().reference().child("images/rivers.jpg")
    .putFile(from: localFile, metadata: metadata)
  uploadTask.observe(.progress) { snapshot in
    let percent =
      // expect: cannot force unwrap value of non-optional type 'OperationProgress'
      // expect: value of optional type 'Int64?' must be unwrapped to a value of type 'Int64'
      100.0 * Double(snapshot.progress!.completedUnitCount) / Double(snapshot.progress!.totalUnitCount)
    print(percent)
  }
  // expect: 'observe(_:handler:)' is unavailable: Iterate over a stream: for await progress in task.progress { … }. The result is try await task.value. A view observes LiveTransfer(task).
  uploadTask.observe(.success) { snapshot in
    print("done")
  }
  // expect: 'observe(_:handler:)' is unavailable: Iterate over a stream: for await progress in task.progress { … }. The result is try await task.value. A view observes LiveTransfer(task).
  uploadTask.observe(.failure) { snapshot in
    if let error = snapshot.error as? NSError {
      // expect: 'StorageErrorCode' has been renamed to 'StorageError.Code'
      // expect: 'init(rawValue:)' is unavailable: Codes have no numbers: (error as? StorageError)?.code == .objectNotFound.
      switch StorageErrorCode(rawValue: error.code)! {
      case .objectNotFound: break
      case .unauthorized: break
      case .cancelled: break
      case .unknown: break
      default: break
      }
    }
  }
  // expect: 'removeAllObservers()' is unavailable: A stream ends with the Task that iterates over it. Remove the line.
  uploadTask.removeAllObservers()
}
