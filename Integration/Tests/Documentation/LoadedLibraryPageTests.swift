import Foundation
import TenonTestSupport
import Testing

/// The pages of the errors that concern libraries which are loaded while a program runs.
@Suite(.limited, .enabled(if: isLinux)) struct LoadedLibraryPageTests {
  /// Core is a library that the program and the loaded one share.
  @Test func aLibraryThatCannotBeAdoptedIsRefusedAsItsPageSays() async throws {
    let page = try ErrorPage("TENON-402")
    try await withTemporaryDirectory { directory in
      try await ErrorPage.build(["-emit-library", "-o", "libSharedCore.so"] + ErrorPage.core, in: directory)
      let payments = """
        import TenonCore
        final class Cards: Sendable {}
        struct Broken: Error {}
        enum Payments: Library {
          static let name = "payments"
          static let version = SemanticVersion(1, 0, 0)
          @ComponentBuilder static var components: [AnyComponent] {
            Component(Cards.self) { _ in throw Broken() }.timing(.eager)
          }
          @section(".init_array") @used static let register: @convention(c) () -> Void = {
            LibraryRegistry.register(Payments.self)
          }
        }
        """
      let shared = ["-L", directory.path, "-lSharedCore"]
      try await ErrorPage.build(
        ["-parse-as-library", "-module-name", "Payments", "-emit-library", "-o", "libPayments.so"] + shared,
        source: payments, in: directory)
      let program = """
        import Foundation
        import TenonCore
        let app = try App.configure(options: AppOptions(projectID: "shop", data: .memory))
        do {
        \(page.sample.code)
        } catch { print(error) }
        """
      try await ErrorPage.build(["-o", "shop"] + shared, source: program, in: directory)
      let result = try await Executable(path: directory.appending(path: "shop").path).run(
        environment: ["LD_LIBRARY_PATH": directory.path], in: directory)
      #expect(result.output == page.sample.output + "\n")
    }
  }

  /// The program and the loaded library contain a Core each.
  @Test func aSecondCoreIsLoggedAsItsPageSays() async throws {
    let page = try ErrorPage("TENON-403")
    try await withTemporaryDirectory { directory in
      // The loader reports paths without symbolic links.
      let directory = directory.resolvingSymlinksInPath()
      try await ErrorPage.build(["-emit-library", "-o", "libVendor.so"] + ErrorPage.core, in: directory)
      let code = page.sample.code.replacing("/app/", with: "\(directory.path)/")
      try await ErrorPage.build(
        ["-o", "server"] + ErrorPage.core,
        source: "import Foundation\nimport TenonCore\n_ = App.all\n\(code)\n",
        in: directory)
      let result = try await Executable(path: directory.appending(path: "server").path).run(in: directory)
      let expected = page.sample.output.replacing("/app/", with: "\(directory.path)/")
      #expect(result.errors == "error tenon-core: \(expected)\n")
    }
  }
}
