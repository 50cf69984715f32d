import Foundation
import TenonStorageInterop

/// Storage as other products know it.
struct StorageAccess: StorageInterop {
  let instances: StorageInstances

  func read(_ path: String, bucket: String?) async throws -> Data? {
    do {
      return try await reference(path, bucket).data(maxSize: .max)
    } catch let error as StorageError where error.code == .objectNotFound {
      return nil
    }
  }

  func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
    _ = try await reference(path, bucket).put(content, metadata: StorageMetadata(contentType: contentType))
  }

  func delete(_ path: String, bucket: String?) async throws -> Bool {
    do {
      try await reference(path, bucket).delete()
      return true
    } catch let error as StorageError where error.code == .objectNotFound {
      return false
    }
  }

  private func reference(_ path: String, _ bucket: String?) throws -> StorageReference {
    try instances.storage(bucket: bucket).reference(path)
  }
}
