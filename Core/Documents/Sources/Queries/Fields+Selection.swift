package import TenonStoreInterop

extension Fields {
  /// Returns the fields that a query or a mask selects; see `DocumentMask` of `google.firestore.v1`.
  ///
  /// A path that leads into a map selects that part of the map. Paths to fields that don't exist, and
  /// `__name__`, select nothing.
  ///
  /// - Parameter paths: the paths; `nil` for all fields.
  package func selecting(_ paths: [FieldPath]?) -> Fields {
    guard let paths else { return self }
    var selected = Fields()
    for path in paths where path != .documentID() {
      if let value = self[path] { selected[path] = value }
    }
    return selected
  }
}

extension RemoteDocument {
  /// Returns the document with the fields that a query or a mask selects; `nil` for all.
  package func selecting(_ paths: [FieldPath]?) -> RemoteDocument {
    guard paths != nil, let fields else { return self }
    var document = self
    document.fields = fields.selecting(paths)
    return document
  }
}
