import TenonStoreInterop

extension DocumentOverlay {
  /// What this device knows of the document after the pending writes.
  ///
  /// - Parameter isInLimbo: whether the remote is being asked whether the document still exists.
  func knowledge(isInLimbo: Bool) -> CachedDocument {
    if isInLimbo, !isChanged { return .unknown }
    guard let exists else { return .unknown }
    guard exists else { return .missing }
    guard let fields, !isPartial else { return .partial([:]) }
    return .exists(fields)
  }
}
