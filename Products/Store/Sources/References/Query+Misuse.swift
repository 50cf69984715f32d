/// Documents aren't values. Without these declarations, the compiler would silently take an array of
/// documents for a value that is an array. The query throws a ``StoreError`` with
/// ``StoreError/Code/invalidArgument`` when it is run.
extension QuerySource {
  /// Documents are passed to ``start(atDocument:)``.
  @available(*, deprecated, message: "Pass the document to start(atDocument:).")
  public func start(at documents: [some DocumentSnapshotConvertible]) -> Refined {
    start(at: [documents as any DocumentValue])
  }

  /// Documents are passed to ``start(afterDocument:)``.
  @available(*, deprecated, message: "Pass the document to start(afterDocument:).")
  public func start(after documents: [some DocumentSnapshotConvertible]) -> Refined {
    start(after: [documents as any DocumentValue])
  }

  /// Documents are passed to ``end(atDocument:)``.
  @available(*, deprecated, message: "Pass the document to end(atDocument:).")
  public func end(at documents: [some DocumentSnapshotConvertible]) -> Refined {
    end(at: [documents as any DocumentValue])
  }

  /// Documents are passed to ``end(beforeDocument:)``.
  @available(*, deprecated, message: "Pass the document to end(beforeDocument:).")
  public func end(before documents: [some DocumentSnapshotConvertible]) -> Refined {
    end(before: [documents as any DocumentValue])
  }
}
