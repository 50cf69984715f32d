import TenonStorage

/// Reads and changes the metadata of a file.
func metadata() async throws {
  let forestRef = try Storage.storage().reference().child("images/forest.jpg")
  let read = try await forestRef.getMetadata()
  print(read.contentType ?? "", read.timeCreated as Any, read.updated as Any, read.md5Hash ?? "")
  let newMetadata = StorageMetadata()
  // expect: cannot assign to property: 'newMetadata' is a 'let' constant
  newMetadata.cacheControl = "public,max-age=300"
  // expect: cannot assign to property: 'newMetadata' is a 'let' constant
  newMetadata.contentType = "image/jpeg"
  // expect: cannot assign to property: 'newMetadata' is a 'let' constant
  newMetadata.customMetadata = ["location": "Kullen", "activity": "hiking"]
  let updated = try await forestRef.updateMetadata(newMetadata)
  print(updated.customMetadata ?? [:])
}

/// Reads and changes the metadata of a file, in closures.
func metadataWithCompletion() throws {
  let forestRef = try Storage.storage().reference().child("images/forest.jpg")
  // expect: 'getMetadata(completion:)' is unavailable: The call is asynchronous: try await reference.getMetadata(), in a Task { … } if need be.
  forestRef.getMetadata { metadata, error in
    print(metadata as Any, error as Any)
  }
  let newMetadata = StorageMetadata()
  // expect: 'updateMetadata(_:completion:)' is unavailable: The call is asynchronous: try await reference.updateMetadata(metadata), in a Task { … } if need be.
  forestRef.updateMetadata(newMetadata) { metadata, error in
    print(metadata as Any, error as Any)
  }
}
