import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Lists of the XML API (https://cloud.google.com/storage/docs/xml-api/get-bucket-list).
extension ObjectService {
  /// Handles `GET` of a bucket: returns a page of its objects, in version 2 with `list-type=2`.
  func listXML(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let isVersion2 = call.query["list-type"] == "2"
    guard isVersion2 || call.query["list-type"] == nil else {
      throw Refusal.badObjectRequest("list-type must be 2, or absent.")
    }
    let (prefix, delimiter) = (call.query["prefix"] ?? "", call.query["delimiter"] ?? "")
    let marker = call.query[isVersion2 ? "start-after" : "marker"] ?? ""
    let limit = try call.xmlPageLimit("max-keys")
    let token = try call.start(token: isVersion2 ? call.query["continuation-token"] : nil)
    let listing = ObjectListing(
      bucket: call.bucket, prefix: prefix, delimiter: delimiter,
      start: token?.name ?? Self.start(behind: marker, prefix, delimiter), limit: limit,
      hidesEmptySegments: false)
    let (page, records) = try await database.read { database in
      let page = try listing.page(from: database)
      return (page, try page.items.compactMap { try database.object($0.name, in: listing.bucket)?.record })
    }
    let shown = call.xmlNames
    // The names and the prefixes are in the same order; the marker is the last of both.
    let last = [page.items.last?.name, page.prefixes.last].compactMap(\.self)
      .max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let document = XMLWriter("ListBucketResult") { writer in
      writer.write("Name", call.bucket)
      writer.write("Prefix", shown(prefix))
      writer.write("Delimiter", delimiter.isEmpty ? nil : shown(delimiter))
      writer.write("MaxKeys", String(limit))
      writer.write("EncodingType", call.query["encoding-type"])
      writer.write("IsTruncated", page.next == nil ? "false" : "true")
      if isVersion2 {
        writer.write("KeyCount", String(page.items.count + page.prefixes.count))
        writer.write("StartAfter", marker.isEmpty ? nil : shown(marker))
        writer.write("ContinuationToken", call.query["continuation-token"])
        writer.write("NextContinuationToken", page.next.flatMap { ObjectCall.pageToken($0).string })
      } else {
        writer.write("Marker", shown(marker))
        writer.write("NextMarker", page.next == nil ? nil : last.map(shown))
      }
      for record in records {
        writer.write("Contents") { writer in
          writer.write("Key", shown(record.name))
          writer.write("Generation", String(record.generation))
          writer.write("MetaGeneration", String(record.metageneration))
          writer.write("LastModified", Timestamp(millisecondsSince1970: record.updated).iso8601)
          writer.write("ETag", record.xmlTag)
          writer.write("Size", String(record.size))
          writer.write("StorageClass", record.storageClass)
        }
      }
      for prefix in page.prefixes { writer.write("CommonPrefixes") { $0.write("Prefix", shown(prefix)) } }
    }
    return TransportStreamingResponse(TransportResponse(xml: document))
  }

  /// Returns the first name of a list that follows a marker, which may be a common prefix.
  private static func start(behind marker: String, _ prefix: String, _ delimiter: String) -> String {
    guard !marker.isEmpty else { return "" }
    if !delimiter.isEmpty, marker.utf8.starts(with: prefix.utf8) {
      let rest = Substring(marker.utf8.dropFirst(prefix.utf8.count))
      if let end = rest.utf8.firstRange(of: delimiter.utf8) {
        return ObjectListing.successor(of: String(marker[..<end.upperBound])) ?? marker
      }
    }
    // No name has a NUL.
    return "\(marker)\u{0}"
  }
}

extension ObjectCall {
  /// Returns the size of a page of the XML API: 1 to 1,000, the default.
  ///
  /// - Throws: ``Refusal`` with status 400 if it isn't a whole number of at least 1.
  func xmlPageLimit(_ parameter: String) throws -> Int {
    guard let text = query[parameter] else { return 1_000 }
    guard let number = Int64(decimal: text), number > 0 else {
      throw Refusal.badObjectRequest("\(parameter) must be a whole number of at least 1.")
    }
    return Int(clamping: min(number, 1_000))
  }

  /// Returns a function that writes names as the client wants them: percent-encoded with `encoding-type=url`.
  var xmlNames: (String) -> String {
    query["encoding-type"] == "url"
      ? { name in PercentEncoding.segment(name).replacing("%2F", with: "/") } : { $0 }
  }
}
