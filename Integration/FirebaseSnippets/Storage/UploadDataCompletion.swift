import Foundation
import TenonStorage

/// Uploads bytes that are in memory, in a closure.
func uploadWithCompletion(data: Data) throws {
  let riversRef = try Storage.storage().reference().child("images/rivers.jpg")
  // expect: 'putData(_:metadata:completion:)' is unavailable: The call is asynchronous: try await reference.putDataAsync(data, metadata: metadata), in a Task { … } if need be.
  let uploadTask = riversRef.putData(data, metadata: nil) { (metadata, error) in
    guard let metadata = metadata else {
      return
    }
    print(metadata.size)
    // expect: 'downloadURL(completion:)' is unavailable: The call is asynchronous: try await reference.downloadURL(), in a Task { … } if need be.
    riversRef.downloadURL { (url, error) in
      guard let downloadURL = url else {
        return
      }
      print(downloadURL)
    }
  }
  uploadTask.pause()
  uploadTask.resume()
  uploadTask.cancel()
}
