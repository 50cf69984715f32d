import TenonStorage

/// Removes a file.
func deleteFile() async throws {
  let desertRef = try Storage.storage().reference().child("desert.jpg")
  do {
    try await desertRef.delete()
  } catch {
    print(error)
  }
}

/// Removes a file, in a closure.
func deleteFileWithCompletion() throws {
  // expect: 'delete(completion:)' is unavailable: The call is asynchronous: try await reference.delete(), in a Task { … } if need be.
  try Storage.storage().reference().child("desert.jpg").delete { error in
    if let error = error {
      print(error)
    }
  }
}
