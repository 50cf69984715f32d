import Foundation
import TenonStorage

/// Uploads a file and follows its progress.
func uploadFileAsync(localFile: URL) async throws {
  let metadata = try await Storage.storage().reference(withPath: "images/rivers.jpg")
    .putFileAsync(from: localFile, metadata: nil) { progress in
      // expect: cannot use optional chaining on non-optional value of type 'OperationProgress'
      print(progress?.fractionCompleted ?? 0)
    }
  print(metadata.size)
}
