import TenonStoreInterop

extension RemoteBatch {
  /// Whether applying the batch again directly afterwards could do harm, or be refused: it contains an
  /// increment, which would count twice, or a precondition, which its first application may have made false.
  ///
  /// All other operations and transforms have the same effect the second time, apart from a later server
  /// timestamp.
  var isHarmedByRepetition: Bool {
    writes.contains { write in
      write.precondition != nil
        || write.transforms.contains { if case .increment = $0.kind { true } else { false } }
    }
  }
}
