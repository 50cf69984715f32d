/// The functions of strings that use regular expressions.
enum Patterns {
  static func matches(_ pattern: Pattern, _ text: String, _ id: Int) throws(EvaluationError) -> Bool {
    do throws(PatternError) { return try pattern.matches(text) } catch { throw failure(error, id) }
  }

  static func pattern(_ text: String, _ id: Int) throws(EvaluationError) -> Pattern {
    do throws(PatternError) { return try Pattern(text) } catch { throw failure(error, id) }
  }

  static func replace(
    _ text: String, _ pattern: String, _ replacement: String, _ id: Int
  ) throws(EvaluationError) -> String {
    let pattern = try self.pattern(pattern, id)
    do throws(PatternError) {
      return try pattern.replacing(in: text, with: replacement)
    } catch { throw failure(error, id) }
  }

  static func split(_ text: String, _ pattern: String, _ id: Int) throws(EvaluationError) -> [String] {
    let pattern = try self.pattern(pattern, id)
    do throws(PatternError) { return try pattern.split(text) } catch { throw failure(error, id) }
  }

  private static func failure(_ error: PatternError, _ id: Int) -> EvaluationError {
    EvaluationError(.other("Invalid regular expression pattern. \(error.message)"), node: id)
  }
}
