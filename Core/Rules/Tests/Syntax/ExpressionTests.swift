import TenonRules
import TenonTestSupport
import Testing

@Suite(.limited) struct ExpressionTests {
  @Test func operatorsAreNamedByTheirText() {
    #expect(BinaryOperator(rawValue: "in") == .contains)
    #expect(UnaryOperator(rawValue: "!") == .not)
  }
}
