import TenonFoundation
import TenonTransport

/// The two parts of a `multipart/related` upload (RFC 2387): the metadata as JSON, and the content.
///
/// The parts must be in this order. Their other header fields are ignored.
struct MultipartBody {
  /// The members of the first part.
  let metadata: [String: JSON]
  /// The `Content-Type` of the second part; `nil` if it has none.
  let contentType: String?
  /// The greatest length of a boundary, in bytes (RFC 2046, section 5.1.1).
  private static let longestBoundary = 70

  /// The content: a slice of the body rather than a copy.
  let content: Data

  /// Parses a body.
  ///
  /// - Parameters:
  ///   - body: the whole body.
  ///   - field: the value of the request's `Content-Type` field, with the boundary.
  /// - Throws: ``Refusal`` with status 400 if the body isn't of this form.
  init(_ body: Data, contentType field: String) throws {
    let type = MediaType(field)
    guard type.essence == "multipart/related", let boundary = type.parameters["boundary"],
      (1...Self.longestBoundary).contains(boundary.utf8.count)
    else {
      throw Refusal.badObjectRequest("Bad content type. \(field.prefix(200))")
    }
    let parts = Self.parts(of: body, boundary: boundary).compactMap(Self.split)
    guard parts.count == 2 else {
      throw Refusal.badObjectRequest("Unexpected number of parts in request body")
    }
    guard let metadata = try? JSON(parsing: parts[0].content).object else {
      throw Refusal.badObjectRequest("The first part of the request body is not a JSON object")
    }
    self.metadata = metadata
    contentType = parts[1].headers.first { $0.name == "content-type" }?.value
    content = parts[1].content
  }

  /// Returns the bytes between the delimiter lines (RFC 2046, section 5.1.1).
  ///
  /// - Complexity: O(*n*) in the size of the body.
  static func parts(of body: Data, boundary: String) -> [Data] {
    let delimiter = Data("--\(boundary)".utf8)
    var parts: [Data] = []
    guard var start = body.firstOccurrence(of: delimiter)?.upperBound else { return [] }
    while !body[start...].starts(with: Data("--".utf8)) {
      guard let next = body[start...].firstOccurrence(of: Data("\r\n".utf8) + delimiter) else { break }
      // Checked: the delimiter was found behind the start.
      parts.append(body[start..<next.lowerBound])
      start = next.upperBound
    }
    return parts
  }

  /// Returns the header fields of a part, with names in lower case, and its content; `nil` if the part has no
  /// empty line after its header.
  static func split(_ part: Data) -> (headers: [(name: String, value: String)], content: Data)? {
    guard let blank = part.firstOccurrence(of: Data("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let headers = head.split(whereSeparator: \.isNewline).compactMap {
      line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (line[..<colon].lowercased(), String(value))
    }
    return (headers, part[blank.upperBound...])
  }
}
