import Foundation
import TenonCore
import TenonStorage

/// References and their parts.
func references() throws {
  let storage = try Storage.storage()
  let storageRef = storage.reference()
  let imagesRef = storageRef.child("images")
  let spaceRef = storageRef.child("images/space.jpg")
  print(
    spaceRef.parent() as Any, spaceRef.root(), spaceRef.bucket, spaceRef.fullPath, spaceRef.name, imagesRef)
  // expect: call can throw but is not marked with 'try'
  _ = storage.reference(forURL: "gs://harbour-1.appspot.com/images/space.jpg")
  _ = storage.reference(withPath: "images/space.jpg")
  _ = try Storage.storage(url: "gs://other-bucket")
  _ = try? storage.reference(for: URL(string: "https://example.com/a")!)
  // expect: 'app' is unavailable: Keep the app that you pass to Storage.storage(app: …).
  print(spaceRef.storage.app.name)
}
