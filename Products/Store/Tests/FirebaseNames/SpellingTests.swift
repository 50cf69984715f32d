import Foundation
import TenonStore
import TenonTestSupport
import Testing

/// Firebase's spellings that Tenon has beside its own.
@Suite(.limited) struct SpellingTests {
  @Test func bothSpellingsOfACondition() {
    let long = Filter.whereField("a", isGreaterThanOrEqualTo: 1)
    let short = Filter.whereField("a", isGreaterOrEqualTo: 1)
    #expect(long.description == short.description)
    #expect(short.description != Filter.whereField("a", isGreaterThan: 1).description)
  }

  @Test func aTimestampWithoutArgumentsIsNow() {
    let before = Timestamp(date: .now)
    let now = Timestamp()
    let after = Timestamp(date: .now)
    #expect(before.dateValue() <= now.dateValue() && now.dateValue() <= after.dateValue())
  }
}
