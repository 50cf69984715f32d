#if os(Linux)
  import Foundation
  import TenonProcesses
  import TenonTestSupport
  import Testing

  @testable import tenon

  /// Programs on the systems on which nothing of Core can run between the last initializer and `main`.
  @Suite(.limited) struct OtherSystemTests {
    /// Core's part of such a system, compiled here.
    private static let program = """
      #include <string.h>
      #include "TenonThreads.h"
      int main(void) {
        if (tenon_is_inspected_at_configure()) {
          const char *text = "{\\"graph\\": {\\"libraries\\": [], \\"components\\": []}, \\"problems\\": [], "
            "\\"warnings\\": [], \\"requirements\\": []}";
          tenon_end_inspection(text, strlen(text), 0);
        }
        if (tenon_inspection_file() && !tenon_run_before_main(0, 0)) tenon_refuse_inspection();
        return 0;
      }

      """

    /// Compiles the program and passes it to a closure.
    private func withProgram(_ body: (Program) throws -> Void) throws {
      let folder = try LintFixture.folder(["main.c": Self.program])
      defer { try? FileManager.default.removeItem(at: folder) }
      let threads = LintFixture.packageRoot.appending(path: "Core/Components/Threads")
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.currentDirectoryURL = folder
      compiler.arguments = [
        "clang", "-U__linux__", "-o", "other", "-I", threads.appending(path: "include").path, "main.c",
        threads.appending(path: "inspection.c").path,
      ]
      try compiler.start()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)

      try body(try #require(Program(url: folder.appending(path: "other"))))
    }

    @Test func aProgramSaysThatItCanBeInspectedBeforeMainOnLinuxOnly() throws {
      try withProgram { program in
        var report = CheckReport(sources: SourceIndex(root: nil))
        report.add(program.inspect(libraries: nil, limit: 30, atConfigure: false), of: program.name)
        #expect(
          report.findings.map(\.message) == [
            "other can't be inspected: This program was started with TENON_INSPECT, but programs can be inspected before main on Linux only."
          ])
      }
    }

    @Test func aProgramIsInspectedByItsFirstConfiguration() throws {
      try withProgram { program in
        var report = CheckReport(sources: SourceIndex(root: nil))
        report.add(program.inspect(libraries: nil, limit: 30, atConfigure: true), of: program.name)
        #expect(report.findings.map(\.rule) == ["no-components"])
      }
    }
  }
#endif
