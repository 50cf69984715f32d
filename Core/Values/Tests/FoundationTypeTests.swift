import Foundation
import TenonTestSupport
import TenonValues
import Testing

/// How types of Foundation and of the standard library are stored as properties of a `Codable` type.
@Suite(.limited) struct FoundationTypeTests {
  /// A property, by whose name errors are recognized.
  private struct Holder<Property: Codable>: Codable { var field: Property }

  /// A value, its form in a document, and whether both are the same.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Checks the form and the round trip.
    let check: @Sendable () throws -> Void

    init<Property: Codable & Equatable & Sendable>(
      _ value: Property, _ stored: Value, _ location: SourceLocation = #_sourceLocation
    ) {
      testDescription = "\(Property.self) \(value)"
      check = {
        let fields = try FieldsEncoder().encode(Holder(field: value))
        #expect(fields == ["field": stored], sourceLocation: location)
        let decoded = try FieldsDecoder().decode(Holder<Property>.self, from: fields)
        #expect(decoded.field == value, sourceLocation: location)
        let list = try FieldsEncoder().encode(Holder(field: [value, value]))
        #expect(list == ["field": [stored, stored]], sourceLocation: location)
        #expect(
          try FieldsDecoder().decode(Holder<[Property]>.self, from: list).field == [value, value],
          sourceLocation: location)
      }
    }
  }

  static let rows: [Row] = [
    Row(Decimal(5), 5.0),
    Row(decimal("19.99"), 19.99),
    Row(decimal("-0.1"), -0.1),
    Row(decimal("123456789012.345"), 123456789012.345),
    Row(decimal("1e127"), 1e127),
    Row(Optional(decimal("0.3")), 0.3),
    Row(Optional(5), 5),
    Row(Optional("a"), "a"),
    Row(Optional(Date(timeIntervalSince1970: 1)), .timestamp(Timestamp(seconds: 1))),
    Row(Optional<Date>.none, .null),
    Row([1, nil, 2] as [Int?], [1, .null, 2]),
    Row(["a": 1, "b": nil] as [String: Int?], ["a": 1, "b": .null]),
    Row(URL(string: "https://example.org/a?b=c#d")!, "https://example.org/a?b=c#d"),
    Row(
      UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    Row(DateComponents(year: 2026, month: 11), ["month": 11, "year": 2026]),
    Row(TimeZone(identifier: "Europe/Zurich")!, ["identifier": "Europe/Zurich"]),
    Row(
      DateInterval(start: Date(timeIntervalSince1970: 1), duration: 2.5),
      ["duration": 2.5, "start": .timestamp(Timestamp(seconds: 1))]),
    Row(IndexSet([1, 2]), ["indexes": [["length": 2, "location": 1]]]),
    Row(IndexPath(indexes: [1, 2]), ["indexes": [1, 2]]),
    Row(
      Measurement(value: 1.5, unit: UnitLength.kilometers),
      [
        "unit": ["converter": ["coefficient": 1000.0, "constant": 0.0], "symbol": "km"], "value": 1.5,
      ]),
    Row(
      URLComponents(string: "https://example.org/a")!,
      ["host": "example.org", "path": "/a", "scheme": "https"]),
    Row(PersonNameComponents(givenName: "Ada"), ["givenName": "Ada"]),
    Row(CGFloat(1.5), 1.5),
    Row(CGSize(width: 1, height: 2), [1.0, 2.0]),
    Row(Float16(1.5), 1.5),
    Row(Duration.milliseconds(1_500), [0, 1_500_000_000_000_000_000]),
    Row(1..<5, [1, 5]),
    Row(1...5, [1, 5]),
    Row("a"..<"b", ["a", "b"]),
    Row(Int128(-5), -5),
    Row(Int128(Int64.min), .integer(.min)),
    Row(UInt128(Int64.max), .integer(.max)),
  ]

  private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

  @Test(arguments: rows) func aTypeIsStoredInItsFormAndBack(row: Row) throws { try row.check() }

  @Test func aLocaleIsAMapWithItsIdentifier() throws {
    let fields = try FieldsEncoder().encode(Holder(field: Locale(identifier: "de_CH")))
    #expect(fields[FieldPath(["field", "identifier"])] == "de_CH")
    let decoded = try FieldsDecoder().decode(Holder<Locale>.self, from: fields)
    #expect(decoded.field == Locale(identifier: "de_CH"))
  }

  @Test func aCalendarIsAMapWithItsIdentifier() throws {
    let calendar = Calendar(identifier: .iso8601)
    let fields = try FieldsEncoder().encode(Holder(field: calendar))
    #expect(fields[FieldPath(["field", "identifier"])] == "iso8601")
    #expect(try FieldsDecoder().decode(Holder<Calendar>.self, from: fields).field == calendar)
  }

  /// A type that needs to know how it is to be encoded.
  private struct Price: EncodableWithConfiguration, DecodableWithConfiguration, Equatable, Sendable {
    struct Unit: EncodingConfigurationProviding, DecodingConfigurationProviding {
      static var encodingConfiguration: Int { 100 }
      static var decodingConfiguration: Int { 100 }
    }
    var amount: Int

    init(amount: Int) { self.amount = amount }
    init(from decoder: any Decoder, configuration: Int) throws {
      amount = try decoder.singleValueContainer().decode(Int.self) / configuration
    }
    func encode(to encoder: any Encoder, configuration: Int) throws {
      var container = encoder.singleValueContainer()
      try container.encode(amount * configuration)
    }
  }

  private struct Offer: Codable, Equatable {
    @CodableConfiguration(wrappedValue: Price(amount: 1), from: Price.Unit.self) var price: Price
    @CodableConfiguration(wrappedValue: nil, from: Price.Unit.self) var former: Price?
    var name = "tea"

    static func == (a: Offer, b: Offer) -> Bool {
      a.price == b.price && a.former == b.former && a.name == b.name
    }
  }

  @Test func aPropertyWithAConfigurationIsEncodedWithIt() throws {
    var offer = Offer()
    offer.price = Price(amount: 5)
    #expect(try FieldsEncoder().encode(offer) == ["name": "tea", "price": 500])
    offer.former = Price(amount: 7)
    let fields = try FieldsEncoder().encode(offer)
    #expect(fields == ["former": 700, "name": "tea", "price": 500])
    #expect(try FieldsDecoder().decode(Offer.self, from: fields) == offer)
  }

  // MARK: - Decimal

  @Test(
    arguments: [
      (5, "5"), (.integer(.max), "9223372036854775807"), (0.1, "0.1"), (19.99, "19.99"), (-0.0, "0"),
      (1e22, "1e22"), (.double(.nan), "NaN"),
    ] as [(Value, String)])
  func anyNumberDecodesAsADecimal(stored: Value, text: String) throws {
    let decoded = try FieldsDecoder().decode(Holder<Decimal>.self, from: ["field": stored]).field
    #expect(decoded == Self.decimal(text))
  }

  @Test func aDecimalWithMoreDigitsThanADoubleIsRounded() throws {
    let exact = Self.decimal("0.12345678901234567890")
    let fields = try FieldsEncoder().encode(Holder(field: exact))
    #expect(fields == ["field": 0.12345678901234568])
    #expect(
      try FieldsDecoder().decode(Holder<Decimal>.self, from: fields).field
        == Self.decimal("0.12345678901234568"))
  }

  @Test(arguments: ["19.99", true, [1], .double(.infinity), 1e300, .null] as [Value])
  func whatIsNoDecimalNumberIsNamed(stored: Value) {
    do {
      _ = try FieldsDecoder().decode(Holder<Decimal>.self, from: ["field": stored])
      Issue.record("decoding should fail")
    } catch DecodingError.typeMismatch(let type, let context) {
      #expect(type == Decimal.self && context.codingPath.map(\.stringValue) == ["field"])
    } catch {
      Issue.record(error)
    }
  }

  @Test func thePartsOfADecimalThatTenon01StoredAreRead() throws {
    let parts: Value = [
      "exponent": -2, "length": 1, "isNegative": false, "isCompact": true,
      "mantissa": [1999, 0, 0, 0, 0, 0, 0, 0],
    ]
    let decoded = try FieldsDecoder().decode(Holder<Decimal>.self, from: ["field": parts])
    #expect(decoded.field == Self.decimal("19.99"))
  }

  // MARK: - What can't be stored

  /// Returns the description of the error, and expects it to name the field.
  private func refusal(
    _ value: some Codable, _ location: SourceLocation = #_sourceLocation
  ) -> String {
    do {
      _ = try FieldsEncoder().encode(Holder(field: value))
      Issue.record("encoding should fail", sourceLocation: location)
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["field"], sourceLocation: location)
      return context.debugDescription
    } catch {
      Issue.record(error, sourceLocation: location)
    }
    return ""
  }

  @Test(arguments: [.seconds(10), .seconds(-1), .milliseconds(-1)] as [Duration])
  func aDurationBeyondNineSecondsOrBelowZeroIsNamed(duration: Duration) {
    #expect(refusal(duration).contains("store its seconds as a Double"))
    #expect(refusal([duration]).contains("store its seconds as a Double"))
  }

  @Test func anIntegerBeyondSixtyFourBitsIsNamed() {
    #expect(refusal(UInt64.max).contains("doesn't fit"))
    #expect(refusal(Int128.max).contains("doesn't fit"))
    #expect(refusal(Int128.min).contains("doesn't fit"))
    #expect(refusal(UInt128.max).contains("doesn't fit"))
    #expect(refusal(0..<Int128.max).contains("doesn't fit"))
  }

  /// Encodes and decodes each number with the method for its own type, not with the one for all types.
  private struct Wide: Codable, Equatable {
    enum CodingKeys: CodingKey { case signed, unsigned, present, absent, list }
    var signed: Int128 = -5
    var unsigned: UInt128 = 6
    var present: Int128? = 7
    var absent: UInt128?
    var list: [Int128] = [8, 9]

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      signed = try container.decode(Int128.self, forKey: .signed)
      unsigned = try container.decode(UInt128.self, forKey: .unsigned)
      present = try container.decodeIfPresent(Int128.self, forKey: .present)
      absent = try container.decodeIfPresent(UInt128.self, forKey: .absent)
      var elements = try container.nestedUnkeyedContainer(forKey: .list)
      list = [try elements.decode(Int128.self), Int128(try elements.decode(UInt128.self))]
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(signed, forKey: .signed)
      try container.encode(unsigned, forKey: .unsigned)
      try container.encodeIfPresent(present, forKey: .present)
      try container.encodeIfPresent(absent, forKey: .absent)
      var elements = container.nestedUnkeyedContainer(forKey: .list)
      try elements.encode(list[0])
      try elements.encode(UInt128(list[1]))
    }
  }

  @Test func propertiesOfTypesWithOneHundredTwentyEightBitsAreIntegers() throws {
    let fields = try FieldsEncoder().encode(Wide())
    #expect(fields == ["list": [8, 9], "present": 7, "signed": -5, "unsigned": 6])
    #expect(try FieldsDecoder().decode(Wide.self, from: fields) == Wide())
    var wide = Wide()
    wide.unsigned = .max
    #expect(throws: EncodingError.self) { try FieldsEncoder().encode(wide) }
  }

  @Test func anIntegerThatDoesNotFitAnUnsignedTypeIsNamed() {
    #expect(throws: DecodingError.self) {
      try FieldsDecoder().decode(Holder<UInt128>.self, from: ["field": -1])
    }
  }
}
