import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

/// R13: a linker takes from a static archive only the objects to which something refers. Programs are linked
/// with archives of one object per file, as CMake, Bazel and builds without whole-module optimization create
/// them.
@Suite(.limited(to: .seconds(1_200), of: .processes), .deep, .builtStaticArchives) struct StaticArchiveTests {
  @Test func r13LibrariesUsedByAProgramAreRegistered() async throws {
    let result = try await StaticArchives.current.run("Products", with: ["TenonAuth", "TenonFunctions"])
    #expect(result.lines == ["registered: tenon-auth tenon-functions", "auth of functions: Auth"])
    #expect(result.errors == "")
  }

  /// Nothing but the registrations refers to the inspection.
  @Test(.enabled(if: isLinux)) func aProgramThatIsLinkedWithArchivesIsChecked() async throws {
    let result = try await StaticArchives.current.check("Products", with: ["TenonAuth", "TenonFunctions"])
    #expect(result.lines.last == "tenon check: 1 executable, no problems")
    #expect(!result.output.contains("error:"))
  }

  /// The program contains nothing of the product, so nothing can be detected at run time. The linker needs an
  /// option.
  @Test func r13AnUnusedImportedLibraryIsLinkedByAFlag() async throws {
    let archives = try StaticArchives.current
    let dropped = try await archives.run("Import", with: ["TenonAuth", "TenonFunctions"])
    #expect(dropped.lines == ["registered: tenon-functions", "auth of functions: [] nothing known"])
    let kept = try await archives.run("Import", with: ["TenonFunctions"], whole: ["TenonAuth"])
    #expect(
      kept.lines == ["registered: tenon-auth tenon-functions", #"auth of functions: ["Auth"] nothing known"#])
  }

  @Test func r13ADroppedRegistrationIsReportedAndRepairedOnUse() async throws {
    let archives = try StaticArchives.current
    let result = try await archives.run("Customer", with: ["Shop"], ["--shop"])
    #expect(
      result.lines == [
        "Customer (unique, lazy)", "  any Shopping, optional: absent (Shop is linked, but not registered)",
        "customer: no shop", "shop: a piece", "customer: a piece",
      ])
    #expect(result.errors.contains("The library shop is used, but isn't registered:"))
    #expect(result.errors.contains("--whole-archive"))
    let kept = try await archives.run("Customer", with: [], whole: ["Shop"], ["--shop"])
    #expect(
      kept.lines == [
        "Customer (unique, lazy)", "  any Shopping, optional: Shop", "shop 1.0.0", "  Shop (shared, lazy)",
        "    provides any Shopping", "customer: a piece", "shop: a piece", "customer: a piece",
      ])
    #expect(kept.errors == "")
  }

  @Test func r13ATypeWhoseLibraryWasDroppedIsNotNilWithoutAWord() async throws {
    let archives = try StaticArchives.current
    let result = try await archives.run("Customer", with: ["Shop"], ["--type"])
    let suspicion =
      "No library of the module Shop, which declares it, has registered. If it has a library, the linker dropped its "
      + "registration."
    #expect(result.lines.contains("shop: nil"))
    #expect(result.errors.contains("notice tenon-core: The app \"default\" provides no Shop. \(suspicion)"))
    #expect(result.lines.contains("TENON-201: Nothing provides Shop."))
    #expect(result.lines.contains("  - \(suspicion)"))
    let kept = try await archives.run("Customer", with: [], whole: ["Shop"], ["--type"])
    #expect(kept.lines.contains("shop: a piece"))
    #expect(kept.errors == "")
  }

  @Test func r13AnAppLogsDroppedLibrariesAndAMissingNeedExplainsWhy() async throws {
    let archives = try StaticArchives.current
    let input = Pipe.exclusive
    let program = try await archives.start(
      "Customer", with: ["Shop"], ["--required", "--wait"], input: input)
    let logged = await program.errors { $0.contains("CMake") }
    #expect(
      logged?.contains(
        "Shop is linked, but its library hasn't registered, so the app \"default\" does without it.") == true
    )
    try input.fileHandleForWriting.close()
    let result = await program.result()
    #expect(
      result.output.contains(
        """
        String of the container needs any Shopping, which nothing provides.
          - Shop, which provides it, is linked, but its library hasn't registered.
          - Link the whole archive that holds it: -Wl,--whole-archive
        """))
  }
}
