import Foundation
import TenonCore
import TenonTestSupport
import Testing

/// The code in documentation comments is compiled, and has the results that the comments state.
///
/// Code of public declarations is compiled as in a user's program. See ``CommentProgram`` for how results are
/// stated.
@Suite(.limited) struct CommentSampleTests {
  static let samples = (try? CommentSample.all(root: packageRoot)) ?? []
  static let programs = (try? CommentProgram.all(of: samples, root: packageRoot)) ?? []

  /// The programs that can be compiled with this build.
  static let compiledPrograms = programs.filter {
    #if canImport(Combine)
      true
    #else
      $0.folder != "Products/StoreCombine"  // CombineTests compiles it.
    #endif
  }

  @Test func theSamplesAreFound() throws {
    let paths = Set(Self.samples.map(\.path))
    #expect(
      paths.isSuperset(of: [
        "Core/Components/Sources/App/App.swift", "Core/Values/Sources/Values/Value+Identity.swift",
        "Products/Store/Sources/Store.swift",
      ]))
    #expect(Self.samples.count >= 170)
    let programs = try CommentProgram.all(of: Self.samples, root: packageRoot)
    #expect(programs.flatMap(\.results).count >= 35)
  }

  /// A fence in another kind of comment, or one that isn't closed, would hide samples.
  @Test func everyFenceInASourceBelongsToASample() throws {
    for area in ["Core", "Interop", "Products"] {
      for file in try Page.files(in: packageRoot.appending(path: area), named: ".swift") {
        let fences = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```").count - 1
        let samples = Self.samples.count { file.path.hasSuffix("/\($0.path)") }
        #expect(fences == 2 * samples, "\(file.path)")
      }
    }
  }

  @Test(.deep, arguments: compiledPrograms) func samplesCompileAndResultInWhatTheyState(
    program: CommentProgram
  )
    async throws
  {
    try await withTemporaryDirectory { directory in
      let (problems, output) = try await run(program, in: directory)
      #expect(problems == [], "\(problems.joined(separator: "\n"))")
      #expect(output == program.results)
    }
  }

  /// Proves that the compiler and the program look at the samples.
  @Test(.deep) func mistakesAreReportedWithTheirPlace() async throws {
    let source = """
      /// Adds numbers.
      ///
      /// ```swift
      /// let numbers = [1, 2]
      /// numbers.reduce(0, +)  // → 3
      /// print(numbers)
      /// // → [1, 2, 3]
      /// ```
      public func add() {}

      """
    let wrong = "/// ```swift\n/// let text: String = 5\n/// ```\npublic func f() {}\n"
    try await withTemporaryDirectory { directory in
      let samples = CommentSample.samples(in: source, path: "Core/Numbers.swift")
      let (problems, output) = try await run(
        CommentProgram(of: samples, in: "Core", with: ""), in: directory)
      #expect(problems == [])
      #expect(output == ["Core/Numbers.swift:5", "Core/Numbers.swift:6: [1, 2] is not [1, 2, 3]"])

      let mistakes = CommentSample.samples(in: wrong, path: "Core/Text.swift")
      let found = try await run(CommentProgram(of: mistakes, in: "Core", with: ""), in: directory)
      #expect(found.problems.first?.hasPrefix("Core/Text.swift:2: error: cannot convert") == true)
    }
  }

  /// Compiles a program and, if it states results, runs it. Returns what is wrong with the code, and the
  /// output.
  private func run(
    _ program: CommentProgram, in directory: URL
  ) async throws -> (problems: [String], output: [String]) {
    let executable = program.results.isEmpty ? nil : directory.appending(path: "samples")
    let problems = try await SwiftCompiler.diagnostics(
      of: program.source, isOfThisPackage: program.isOfThisPackage, program: executable
    ).filter { !$0.message.hasSuffix("[#no-usage]") }  // Samples end where their subject does.
    guard let executable, problems.isEmpty else { return (problems.map(\.description), []) }
    let result = try await Executable(path: executable.path).run(in: directory)
    #expect(result.status == 0, "\(result.errors)")
    return ([], result.lines)
  }

  /// A result that is stated otherwise wouldn't be checked.
  @Test func resultsAreStatedInOneWay() {
    for sample in Self.samples where sample.language == "swift" {
      for (index, line) in sample.lines.enumerated() {
        let comment = line.firstMatch(
          of: /\/\/ +(==|=>|->|[Pp]rints|["\[{\-0-9]|(true|false|nil)$|[\w.]+ == )/)
        #expect(comment == nil, "\(sample.place(of: index)): State the result as `// → value`.")
      }
    }
  }

  @Test func otherBlocksAreTextOrJSON() throws {
    for sample in Self.samples where sample.language != "swift" {
      let place: Comment = "\(sample.place())"
      #expect(["text", "json"].contains(sample.language), place)
      guard sample.language == "json" else { continue }
      let text = Data(sample.lines.joined(separator: "\n").utf8)
      #expect(throws: Never.self, place) { try JSONSerialization.jsonObject(with: text) }
    }
  }

  @Test func samplesOfDeclarationsForThisPackageAreRecognized() {
    let source = """
      /// ```swift
      /// a()
      /// ```
      @MainActor
      package func a() {}

        /// ```swift
        /// if b {
        ///   c()
        /// }
        /// ```
        /// More.
        public func c() {}

      """
    let samples = CommentSample.samples(in: source, path: "Core/A.swift")
    #expect(samples.map(\.isOfThisPackage) == [true, false])
    #expect(samples.map(\.line) == [2, 8])
    #expect(samples.map(\.lines) == [["a()"], ["if b {", "  c()", "}"]])
  }
}
