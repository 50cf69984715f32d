#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A field's value, with the types of Firestore's data model (`google.firestore.v1.Value`).
///
/// Order and equality belong to `TenonDocuments`.
public enum Value: Sendable {
  /// No value, which is still a value: the field is there.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A signed 64-bit integer.
  case integer(Int64)
  /// An IEEE 754 double.
  case double(Double)
  /// A moment, kept to the microsecond.
  case timestamp(Timestamp)
  /// Text, compared by its UTF-8 bytes.
  case string(String)
  /// Bytes.
  case bytes(Data)
  /// The path of a document of the same database.
  case reference(ResourcePath)
  /// A point on Earth.
  case geoPoint(GeoPoint)
  /// A list; it may not hold lists directly.
  case array([Value])
  /// Fields by name.
  case map(Fields)
  /// A vector of up to 2,048 dimensions.
  case vector([Double])
}

/// Fields by name: a document's content, or a map's.
///
/// Names are told apart by their UTF-8 bytes, not by Swift's equality of strings.
public struct Fields: Sendable {
  /// One name and its value.
  public struct Entry: Sendable {
    /// The field's name.
    public var name: String
    /// The field's value.
    public var value: Value

    /// Creates an entry.
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The entries, sorted by the names' UTF-8 bytes, each name once.
  public var entries: [Entry]

  /// Creates fields from entries that are sorted and unique.
  public init(sortedEntries: [Entry] = []) { self.entries = sortedEntries }
}

/// A moment (`google.protobuf.Timestamp`), from 0001-01-01 to 9999-12-31.
public struct Timestamp: Sendable, Hashable, Codable {
  /// Seconds since 1970-01-01T00:00:00Z, negative before.
  public var seconds: Int64
  /// Nanoseconds after that second, 0 to 999,999,999.
  public var nanoseconds: Int32

  /// Creates a moment.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

/// A point on Earth (`google.type.LatLng`).
public struct GeoPoint: Sendable, Hashable, Codable {
  /// Degrees, -90 to 90.
  public var latitude: Double
  /// Degrees, -180 to 180.
  public var longitude: Double

  /// Creates a point.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The path of a collection (an odd number of segments) or a document (an even number) below a database's root.
public struct ResourcePath: Sendable {
  /// The ids on the way, for example `["rooms", "den", "messages"]`.
  public var segments: [String]

  /// Creates a path.
  public init(segments: [String]) { self.segments = segments }
}

/// The path of a field within a document.
public struct FieldPath: Sendable {
  /// The names on the way, from the outermost map to the field.
  public var segments: [String]

  /// Creates a path.
  public init(segments: [String]) { self.segments = segments }
}
