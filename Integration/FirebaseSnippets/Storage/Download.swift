import Foundation
import TenonStorage

/// Downloads into memory and into a file.
func download(to localURL: URL) async throws {
  let islandRef = try Storage.storage().reference().child("images/island.jpg")
  let data = try await islandRef.data(maxSize: 1 * 1024 * 1024)
  print(data.count)
  let url = try await islandRef.writeAsync(toFile: localURL)
  print(url)
}
