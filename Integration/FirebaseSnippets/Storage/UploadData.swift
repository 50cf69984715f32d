import Foundation
import TenonStorage

/// Uploads bytes that are in memory.
func upload(data: Data) async throws {
  let riversRef = try Storage.storage().reference().child("images/rivers.jpg")
  let metadata = StorageMetadata()
  // expect: cannot assign to property: 'metadata' is a 'let' constant
  metadata.contentType = "image/jpeg"
  let uploaded = try await riversRef.putDataAsync(data, metadata: metadata)
  print(uploaded.size, uploaded.path ?? "")
  let url = try await riversRef.downloadURL()
  print(url)
}
