import Foundation
import TenonStorage

/// Downloads into memory and into a file, in closures.
func downloadWithCompletion(to localURL: URL) throws {
  let islandRef = try Storage.storage().reference().child("images/island.jpg")
  // expect: 'getData(maxSize:completion:)' is unavailable: The call is asynchronous: try await reference.data(maxSize: …), in a Task { … } if need be.
  islandRef.getData(maxSize: 1 * 1024 * 1024) { data, error in
    if let error = error {
      print(error)
    } else {
      print(data!.count)
    }
  }
  // expect: 'write(toFile:completion:)' is unavailable: The call is asynchronous: try await reference.writeAsync(toFile: url), in a Task { … } if need be.
  let downloadTask = islandRef.write(toFile: localURL) { url, error in
    print(url as Any, error as Any)
  }
  // expect: 'observe(_:handler:)' is unavailable: Iterate over a stream: for await progress in task.progress { … }. The result is try await task.value. A view observes LiveTransfer(task).
  downloadTask.observe(.progress) { snapshot in
    print(snapshot.progress as Any)
  }
  downloadTask.pause()
  downloadTask.resume()
  downloadTask.cancel()
  // expect: 'downloadURL(completion:)' is unavailable: The call is asynchronous: try await reference.downloadURL(), in a Task { … } if need be.
  islandRef.downloadURL { url, error in
    print(url as Any, error as Any)
  }
}
