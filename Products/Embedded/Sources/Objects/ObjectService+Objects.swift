import Foundation
import TenonTransportInterop

/// Metadata, download tokens and deletion of single objects.
extension ObjectService {
  func metadata(_ name: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    try authorize(call, "READ")
    guard let object = try await database.object(name, in: call.bucket) else { throw Refusal.noSuchObject }
    return try Self.answer(200, json: object.record.wire)
  }

  func patch(_ name: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    try authorize(call, "WRITE")
    let members = try await call.members()
    let record = try await change(name, in: call.bucket) { try $0.metadata.patch(members) }
    return try Self.answer(200, json: record.wire)
  }

  /// `create_token=true` adds a download token, `delete_token=T` revokes one.
  func changeTokens(_ name: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    guard call.isPrivileged else { throw Refusal.missingAdministrator }
    let revoked = call.query["delete_token"]
    let record = try await change(name, in: call.bucket) { record in
      if let revoked {
        record.downloadTokens.removeAll { $0 == revoked }
      } else {
        record.downloadTokens.append(RandomText.uuid())
      }
      // Without any token an object could not be linked to; Firebase makes a new one as well.
      if record.downloadTokens.isEmpty { record.downloadTokens = [RandomText.uuid()] }
    }
    return try Self.answer(200, json: record.wire)
  }

  func delete(_ name: String, _ call: ObjectCall) async throws -> HTTPStreamingResponse {
    try authorize(call, "WRITE")
    let bucket = call.bucket
    try await database.transaction { database in
      guard let object = try database.object(name, in: bucket) else { throw Refusal.noSuchObject }
      try database.deleteObject(name, in: bucket)
      try database.deleteContent(object.content)
    }
    return HTTPStreamingResponse(HTTPResponse(status: 204))
  }

  private func change(
    _ name: String,
    in bucket: String,
    _ body: @escaping @Sendable (inout ObjectRecord) throws -> Void
  ) async throws -> ObjectRecord {
    let now = now()
    return try await database.transaction { database in
      guard var object = try database.object(name, in: bucket) else { throw Refusal.noSuchObject }
      try body(&object.record)
      object.record.metageneration += 1
      object.record.updated = now.milliseconds
      try database.save(object)
      return object.record
    }
  }
}
