public import TenonFoundation

/// The place of a backup.
public enum BackupLocation: Sendable, Hashable {
  /// A file, whose directory must exist.
  case file(URL)
  /// An object of Storage, for which the product TenonStorage must be linked.
  ///
  /// - `path`: the object's path, for example `backups/ann.sqlite`.
  /// - `bucket`: the name of the bucket; the app's default bucket if `nil`.
  case storage(path: String, bucket: String? = nil)
}

extension BackupLocation {
  /// The place in messages, for example `The backup /mnt/notes.sqlite`.
  var description: String {
    switch self {
    case .file(let url): "The backup \(url.isFileURL ? url.path : url.absoluteString)"
    case .storage(let path, nil): "The backup \(path) in Storage's default bucket"
    case .storage(let path, let bucket?): "The backup \(path) in Storage's bucket \(bucket)"
    }
  }
}
