import TenonStorage

/// Lists the files of a folder.
func list() async throws {
  let storageReference = try Storage.storage().reference().child("files/uid")
  let result = try await storageReference.listAll()
  for prefix in result.prefixes {
    print(prefix.fullPath)
  }
  for item in result.items {
    print(item.name)
  }
  let page = try await storageReference.list(maxResults: 100)
  if let token = page.pageToken {
    print(try await storageReference.list(maxResults: 100, pageToken: token).items.count)
  }
}

/// Lists the files of a folder, in closures.
func listWithCompletion() throws {
  let storageReference = try Storage.storage().reference().child("files/uid")
  // expect: 'listAll(completion:)' is unavailable: The call is asynchronous: try await reference.listAll(), in a Task { … } if need be.
  storageReference.listAll { (result, error) in
    for item in result?.items ?? [] {
      print(item)
    }
  }
  // expect: 'list(maxResults:completion:)' is unavailable: The call is asynchronous: try await reference.list(maxResults: …), in a Task { … } if need be.
  storageReference.list(maxResults: 100) { result, error in
    print(result?.pageToken as Any, error as Any)
  }
}
