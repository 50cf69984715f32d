package import TenonStoreInterop

extension StructuredQuery {
  /// Whether the query covers collections of every ID: those directly below the parent, or with
  /// ``allDescendants`` all at any depth.
  package var coversAllCollections: Bool { collectionID.isEmpty }
}
