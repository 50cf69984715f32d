import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

#if canImport(FoundationEssentials)
  /// The objects of the full Foundation, which this test links and the library doesn't.
  @Suite(.limited) struct FoundationObjectTests {
    @Test(
      arguments: [
        (NSNumber(value: true), .bool(true)), (NSNumber(value: false), .bool(false)),
        (NSNumber(value: 1), .int(1)),
        (NSNumber(value: 0), .int(0)), (NSNumber(value: Int64.min), .int(.min)),
        (NSNumber(value: UInt8(200)), .int(200)),
        (NSNumber(value: UInt64.max), .unsigned(.max)), (NSNumber(value: 7.0), .double(7)),
        (NSNumber(value: -1e300), .double(-1e300)), (NSNumber(value: 1e-300), .double(1e-300)),
        (NSDecimalNumber(string: "1.25"), .double(1.25)),
      ] as [(NSNumber, FoundationObjects.Number)])
    func numbersKeepTheirKindAndValue(number: NSNumber, expected: FoundationObjects.Number) {
      #expect(FoundationObjects.number(number) == expected)
    }

    @Test func otherValuesAreNeitherNumbersNorNull() {
      for value in [1, true, "1", NSObject(), NSString("1"), [NSNull()]] as [Any] {
        #expect(FoundationObjects.number(value) == nil && !FoundationObjects.isNull(value))
      }
      #expect(FoundationObjects.isNull(NSNull()) && FoundationObjects.number(NSNull()) == nil)
    }

    @Test func nullIsAnEmptyOptionalWithoutFoundation() throws {
      #expect(FoundationObjects.null is NSNull)
      let null = FoundationObjects.makeNull(arrayType: "10Foundation9NoSuchObjC")
      #expect(!(null is NSNull) && Mirror(reflecting: null).displayStyle == .optional)
    }
  }
#endif
