import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// Which fields key paths name.
@Suite(.limited) struct FieldNamingTests {
  enum Level: Int, Codable, CaseIterable { case low, high }
  enum Color: String, Codable { case red, green }
  struct Place: Codable, Equatable { var city: String, zip: Int }
  struct Wide: Codable {
    enum CodingKeys: String, CodingKey {
      case id, title, subtitle, isDone = "done", isOld, isNew, isOwner, small, ratio, exact, at, place, home =
        "home address"
      case tags, levels, level, color, counts, url, uuid, price, huge, data, reference, point, value, parent,
        stamp,
        nothing
    }
    @DocumentID var id: DocumentReference?
    var title: String
    var subtitle: String?
    var isDone: Bool
    var isOld: Bool
    var isNew: Bool
    var isOwner: Bool?
    var small: Int8
    var ratio: Float
    var exact: Double
    var at: Date
    var place: Place
    var home: Place?
    var tags: Set<String>
    var levels: [Level]
    var level: Level
    var color: Color?
    var counts: [String: Int]
    var url: URL
    var uuid: UUID
    var price: Decimal
    var huge: Int128
    var data: Data
    var reference: DocumentReference
    var point: GeoPoint
    var value: Value
    var parent: [Wide]?
    @ServerTimestamp var stamp: Timestamp?
    @ExplicitNull var nothing: String?

    // None of these is the value of a field.
    var shout: String { title.uppercased() }
    var shown: String { title.isEmpty ? "Untitled" : title }
    var heading: String { subtitle ?? title }
    var trimmed: String { title.trimmingCharacters(in: .whitespaces) }
    var start: String { String(title.prefix(100)) }
    var isOpen: Bool { !isDone }
    var isBoth: Bool { isDone && isOld }
    var isEither: Bool { isDone || isOld }
    var isVisible: Bool { isDone || (isOld && isNew) }
    var isHidden: Bool { isDone && !(isOld && isNew) }
    var isTrue: Bool { true }
    var isTagged: Bool { !tags.isEmpty }
    var ownership: Bool { isOwner ?? false }
    var first: String? { tags.first }
    var doubled: Double { exact * 2 }
    var positive: Double { abs(exact) }
    var isHigh: Bool { level == .high }
    // This one is: it always has the value of one field.
    var alias: String { title }
  }

  static var known: [(any Sendable & PartialKeyPath<Wide>, FieldPath)] {
    [
      (\.id, .documentID()), (\.title, "title"), (\.subtitle, "subtitle"), (\.isDone, "done"),
      (\.isOld, "isOld"),
      (\.isNew, "isNew"), (\.isOwner, "isOwner"), (\.small, "small"), (\.ratio, "ratio"), (\.exact, "exact"),
      (\.at, "at"),
      (\.place, "place"), (\.place.city, "place.city"), (\.place.zip, "place.zip"),
      (\.home, FieldPath(["home address"])),
      (\.home?.city, FieldPath(["home address", "city"])), (\.tags, "tags"), (\.levels, "levels"),
      (\.level, "level"),
      (\.counts, "counts"), (\.url, "url"), (\.uuid, "uuid"), (\.price, "price"),
      (\.huge, "huge"), (\.data, "data"), (\.reference, "reference"),
      (\.point, "point"), (\.value, "value"), (\.stamp, "stamp"), (\.nothing, "nothing"), (\.alias, "title"),
    ]
  }

  static var unknown: [any Sendable & PartialKeyPath<Wide>] {
    [
      \.shout, \.shown, \.heading, \.trimmed, \.start, \.isOpen, \.isBoth, \.isEither, \.isVisible,
      \.isHidden, \.isTrue,
      \.isTagged, \.ownership, \.first, \.doubled, \.positive, \.isHigh, \.title.count, \.self,
    ]
  }

  private let wide = makeStore().collection("wide", of: Wide.self)

  @Test func storedPropertiesNameTheirFields() throws {
    for (keyPath, field) in Self.known {
      let found = try? wide.field(keyPath)
      #expect(found == field, "\(keyPath)")
    }
  }

  @Test func computedPropertiesAreErrorsThatNameTheKeyPath() {
    for keyPath in Self.unknown {
      #expect {
        let field = try wide.field(keyPath)
        Issue.record("\(keyPath) names \(field)")
      } throws: {
        ($0 as? StoreError)?.code == .invalidArgument && "\($0)".contains("\(keyPath)")
      }
    }
  }

  @Test func aQueryThrowsTheErrorOfItsKeyPathWhenItIsRun() async throws {
    let query = wide.whereField(\.shout, isEqualTo: "TEA").limit(to: 3)
    await #expect { try await query.getDocuments() } throws: {
      ($0 as? StoreError)?.code == .invalidArgument && "\($0)".contains("\(\Wide.shout)")
    }
    await #expect { for try await _ in wide.order(by: \.heading).snapshots {} } throws: {
      ($0 as? StoreError)?.code == .invalidArgument
    }
    await #expect { try await wide.document("a").updateData(\.shout, to: "x") } throws: {
      ($0 as? StoreError)?.code == .invalidArgument
    }
  }

  // A required enumeration of which no sample can be made.
  struct Painted: Codable {
    var title: String
    var color: Color
  }

  @Test func aModelWithoutSamplesIsAnErrorThatNamesTheProperty() {
    let painted = makeStore().collection("painted", of: Painted.self)
    #expect { try painted.field(\.title) } throws: {
      ($0 as? StoreError)?.code == .invalidArgument && "\($0)".contains("its property \"color\"")
    }
  }

  struct Named: Codable, FieldNaming {
    var title: String
    var color: Color
    static var fieldNames: [PartialKeyPath<Named>: any FieldPathConvertible] {
      [\.title: "title", \.color: "paint.color"]
    }
  }

  @Test func aModelCanNameItsFields() throws {
    let named = makeStore().collection("named", of: Named.self)
    #expect(try named.field(\.color) == "paint.color")
    #expect(try named.field(\.title) == "title")
    #expect { try named.field(\.title.count) } throws: { ($0 as? StoreError)?.code == .invalidArgument }
  }

  final class Shared: Codable, Sendable {
    let title: String
    let next: Shared?
    init(title: String) { (self.title, next) = (title, nil) }
  }

  struct Strict: Codable {
    var name: String
    var port: Int
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decodeIfPresent(String.self, forKey: .name) ?? "none"
      port = try container.decode(Int.self, forKey: .port)
      guard port != 0, !name.isEmpty else { throw CocoaError(.coderInvalidValue) }
    }
  }

  @Test func classesRecursionAndCustomDecodingAreSupported() throws {
    let shared = makeStore().collection("shared", of: Shared.self)
    #expect(try shared.field(\.title) == "title")
    let strict = makeStore().collection("strict", of: Strict.self)
    #expect(try strict.field(\.port) == "port")
    #expect(throws: StoreError.self) { try strict.field(\.name) }
  }

  struct Scalar: Codable {
    var text: String
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  }

  @Test func aModelWithoutFieldsIsAnError() {
    let scalars = makeStore().collection("scalars", of: Scalar.self)
    #expect { try scalars.field(\.text) } throws: { ($0 as? StoreError)?.code == .invalidArgument }
  }
}
