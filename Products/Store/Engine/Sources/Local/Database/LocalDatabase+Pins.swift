package import TenonStoreInterop

/// Pins, and evictions of what isn't pinned.
extension LocalDatabase {
  /// Pins a document or query; see ``QuerySource/pin()``.
  ///
  /// - Throws: as ``PinTable/insert(_:in:)``.
  func pin(_ subject: PinSubject) throws {
    try transactions.write { try tables.pins.insert(subject, in: $0) }
  }

  /// Removes a pin; no effect if there is none. If documents are collected eagerly, those that nothing else
  /// uses are deleted.
  ///
  /// - Throws: `SQLiteError`; an error if a document can't be decoded.
  func unpin(_ subject: PinSubject) throws {
    try transactions.write { transaction in
      guard try tables.pins.remove(subject, in: transaction), hasRemote, tables.uses.collectsEagerly else {
        return
      }
      switch subject {
      case .document(let path): tables.uses.release([path])
      case .query(let query): tables.uses.release(try reader.paths(of: query.run))
      }
      let target = subject.view.target
      guard let id = try tables.targets.id(of: target.canonical), tables.targets.active(id) == nil,
        try !tables.pins.contains(target)
      else { return }
      tables.uses.release(try tables.targets.documents(of: id))
      try tables.targets.remove(id, in: transaction)
    }
  }

  /// Returns what is pinned, in the order in which it was.
  func pins() throws -> [PinSubject] { try transactions.read { try tables.pins.pins().map(\.subject) } }

  /// Removes documents of the remote from this device, in one transaction; see ``Eviction``.
  ///
  /// - Throws: as ``Eviction/evict(_:isShown:in:)``.
  func evict(
    _ paths: some Sequence<ResourcePath>, isShown: (Int) -> Bool
  ) throws -> LocalOutcome<EvictionResult> {
    let eviction = Eviction(
      collections: tables.collections, documents: tables.documents, targets: tables.targets,
      uses: tables.uses,
      queue: tables.queue, overlays: tables.overlays, collector: collector)
    return try changing { try eviction.evict(paths, isShown: isShown, in: $0) }
  }

  /// Returns whether this device knows nothing of a document: the remote has neither sent it nor reported it
  /// as missing, or a process has evicted or collected it since.
  package func isUnknown(_ path: ResourcePath) throws -> Bool { try tables.overlays.base(of: path) == nil }
}
