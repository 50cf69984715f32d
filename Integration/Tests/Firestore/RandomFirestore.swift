import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTesting

/// Random documents, writes and queries. There are few fields and few values, including difficult ones, so
/// that matches are frequent.
struct RandomFirestore {
  private var generator: SeededGenerator
  /// The collection of all documents and queries.
  let collection: ResourcePath

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    collection = ResourcePath(segments: ["seed-\(seed)"])
  }

  mutating func random(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[random(elements.count)] }

  // MARK: - Values

  private static let scalars: [Value] = [
    .null, false, true, 0, 1, 2, 3, -1, .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .integer(.max), .integer(.min), 1.0, 2.5, .double(9_007_199_254_740_992), .double(.nan),
    .double(.infinity),
    .double(-.infinity), 1e300, "", "a", "b", "ab", "é", "e\u{301}", "\u{FF41}", "\u{1F600}",
    .timestamp(Timestamp(seconds: 0)),
    .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)),
    .bytes(Data()), .bytes(Data([1])), .bytes(Data([1, 255])),
    .reference(ResourcePath(segments: ["c", "a"])), .reference(ResourcePath(segments: ["c", "a", "d", "b"])),
    .geoPoint(GeoPoint(latitude: 1, longitude: 2)), .geoPoint(GeoPoint(latitude: 1, longitude: -3)),
    .vector([1]), .vector([1, 2]), .vector([0, 3]),
  ]

  mutating func value(depth: Int = 0) -> Value {
    switch random(depth < 2 ? 10 : 8) {
    case 8: return .array((0..<random(4)).map { _ in nonArray(depth: depth + 1) })
    case 9:
      var fields = Fields()
      for _ in 0..<random(3) { fields[one(of: ["a", "b", "é"])] = value(depth: depth + 1) }
      return .map(fields)
    // Mostly small numbers and short strings, so that values are equal from time to time.
    case 0...3: return one(of: [1, 2, 3, 1.0, 2.5, "a", "b"])
    default: return one(of: Self.scalars)
    }
  }

  mutating func nonArray(depth: Int) -> Value {
    switch value(depth: depth) {
    case .array, .vector: return one(of: [1, "a", .null, .double(.nan), ["a": 1]])
    case let value: return value
    }
  }

  mutating func field() -> FieldPath { one(of: ["f", "g", "h", "m.a", "m.b"]) }

  mutating func fields() -> Fields {
    var fields = Fields()
    for _ in 0..<(1 + random(4)) { fields[field()] = value() }
    return fields
  }

  mutating func document() -> ResourcePath {
    collection.appending(one(of: ["a", "b", "c", "d", "é", "__id7__", "__id10__", "Z", "z z"]))
  }

  // MARK: - Writes

  mutating func write() -> DocumentWrite {
    let path = document()
    let precondition: WritePrecondition? = one(of: [nil, nil, nil, .exists(true), .exists(false)])
    switch random(10) {
    case 0: return DocumentWrite(path, .delete, precondition: precondition)
    case 1, 2:
      return DocumentWrite(path, .set(fields()), transforms: transforms(), precondition: precondition)
    default:
      let fields = fields()
      var mask: [FieldPath] = []
      for field in [field(), field(), field()]
      where !mask.contains(where: { $0.isPrefix(of: field) || field.isPrefix(of: $0) }) {
        mask.append(field)
      }
      let transforms = transforms().filter { transform in !mask.contains(transform.field) }
      return DocumentWrite(
        path, .update(fields, mask: mask), transforms: transforms, precondition: precondition)
    }
  }

  private mutating func transforms() -> [FieldTransform] {
    var transforms: [FieldTransform] = []
    for _ in 0..<random(3) {
      let field = field()
      guard !transforms.contains(where: { $0.field == field }) else { continue }
      transforms.append(FieldTransform(field, transform()))
    }
    return transforms
  }

  private mutating func transform() -> FieldTransform.Kind {
    let number: Value = one(of: [1, -2, 2.5, 1.0, .integer(.max), .integer(.min), .double(.infinity)])
    switch random(5) {
    case 0: return .increment(number)
    case 1: return .minimum(number)
    case 2: return .maximum(number)
    case 3: return .union((0..<(1 + random(3))).map { _ in nonArray(depth: 1) })
    default: return .remove((0..<(1 + random(3))).map { _ in nonArray(depth: 1) })
    }
  }

  // MARK: - Queries

  mutating func query() -> StructuredQuery {
    var query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: collection.id)
    if random(4) > 0 { query.filter = filter(depth: 0) }
    for _ in 0..<random(3) {
      query.orders.append(QueryOrder(field: orderField(), isDescending: random(2) == 0))
    }
    if random(3) == 0 { query.limit = 1 + random(5) }
    if !query.orders.isEmpty, random(4) == 0 { query.start = cursor(query.orders) }
    if !query.orders.isEmpty, random(4) == 0 { query.end = cursor(query.orders) }
    return query
  }

  private mutating func orderField() -> FieldPath { random(6) == 0 ? .documentID() : field() }

  mutating func cursor(_ orders: [QueryOrder]) -> QueryCursor {
    let values = orders.prefix(1 + random(orders.count)).map { order -> Value in
      order.field == .documentID() ? .reference(document()) : value()
    }
    return QueryCursor(values: values, isInclusive: random(2) == 0)
  }

  mutating func filter(depth: Int) -> QueryFilter {
    switch random(depth < 2 ? 6 : 4) {
    case 4: return .and((0..<(1 + random(3))).map { _ in filter(depth: depth + 1) })
    case 5: return .or((0..<(1 + random(3))).map { _ in filter(depth: depth + 1) })
    default: return condition()
    }
  }

  private mutating func condition() -> QueryFilter {
    let comparison: QueryComparison = one(of: [
      .equal, .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
      .arrayContains,
      .arrayContainsAny, .in, .notIn,
    ])
    if random(12) == 0 {
      return .field(.documentID(), one(of: [.equal, .lessThan, .greaterThanOrEqual]), .reference(document()))
    }
    switch comparison {
    case .in, .notIn, .arrayContainsAny:
      return .field(field(), comparison, .array((0..<(1 + random(3))).map { _ in nonArray(depth: 1) }))
    default: return .field(field(), comparison, value())
    }
  }
}
