public import TenonFoundation

/// The value of a field, with the types of Firestore's data model (`google.firestore.v1.Value`).
///
/// `==` compares by identity: `1` and `1.0` differ. In queries, they are equal.
public enum Value: Sendable {
  /// The null value. A field that is null exists.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A signed 64-bit integer.
  case integer(Int64)
  /// An IEEE 754 double.
  case double(Double)
  /// A point in time, stored with microsecond precision.
  case timestamp(Timestamp)
  /// Text, ordered and compared by its UTF-8 bytes.
  case string(String)
  /// Bytes.
  case bytes(Data)
  /// A reference to a document of the same database.
  case reference(ResourcePath)
  /// A point on Earth.
  case geoPoint(GeoPoint)
  /// A list. It must not directly contain lists.
  case array([Value])
  /// Fields by name.
  case map(Fields)
  /// A vector of up to 2,048 dimensions.
  case vector([Double])
}

/// Fields by name: the content of a document or of a map.
///
/// Names are distinguished by their UTF-8 bytes, not by `String`'s canonical equivalence.
public struct Fields: Sendable {
  /// A field's name and value.
  package struct Entry: Sendable {
    /// The field's name.
    package var name: String
    /// The field's value.
    package var value: Value

    /// Creates an entry.
    package init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The entries, sorted by the UTF-8 bytes of their unique names.
  package var entries: [Entry]

  /// Creates fields from entries that are already sorted and unique.
  package init(sortedEntries: [Entry] = []) { self.entries = sortedEntries }
}

/// A point in time (`google.protobuf.Timestamp`), from 0001-01-01T00:00:00Z to
/// 9999-12-31T23:59:59.999999999Z.
public struct Timestamp: Sendable, Hashable, Codable {
  /// Seconds since 1970-01-01T00:00:00Z; negative for earlier times.
  public var seconds: Int64
  /// Nanoseconds after that second, from 0 to 999,999,999.
  public var nanoseconds: Int32

  /// Creates a timestamp from seconds since 1970 and nanoseconds.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

/// A point on Earth (`google.type.LatLng`).
public struct GeoPoint: Sendable, Hashable, Codable {
  /// The latitude in degrees, from -90 to 90.
  public var latitude: Double
  /// The longitude in degrees, from -180 to 180.
  public var longitude: Double

  /// Creates a point.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The path of a collection (an odd number of segments) or a document (an even number) below a database's
/// root.
public struct ResourcePath: Sendable {
  /// The IDs from the root on, for example `["rooms", "den", "messages"]`.
  public var segments: [String]

  /// Creates a path.
  public init(segments: [String]) { self.segments = segments }
}

/// The path of a field within a document.
public struct FieldPath: Sendable {
  /// The names of the maps from the outermost on, and of the field.
  public var segments: [String]

  /// Creates a path from names, which may contain any characters.
  public init(_ segments: [String]) { self.segments = segments }
}
