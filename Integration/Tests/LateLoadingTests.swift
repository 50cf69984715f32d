import Foundation
import TenonCore
import TenonTestSupport
import Testing

/// R11 with real libraries that real programs load.
@Suite(.limited(to: .seconds(1_200), of: .processes), .deep, .builtLateLoading) struct LateLoadingTests {
  typealias Package = LateLoadingPackage

  // MARK: - One shared Core

  /// Core's initializer runs before those of everything that needs it, and the check waits for them.
  @Test(.enabled(if: isLinux), arguments: [Package.Host.shared, .whole])
  func aHostIsCheckedWithItsLinkedLibraries(_ host: Package.Host) async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appending(path: "inspection.json")
      let path = try Package.current.path(host)
      let run = try await Executable(path: path).run(environment: ["TENON_INSPECT": file.path])
      #expect(run.status == 0)
      let inspection = try JSONDecoder().decode(Inspection.self, from: Data(contentsOf: file))
      #expect(inspection.graph.libraries.map(\.name) == (host == .shared ? ["checkout"] : []))
      #expect(inspection.problems == [])
      let check = try await Executable("tenon").run(["check", path])
      // The whole host has no library before it loads one, so there is nothing that could be right.
      let result = host == .shared ? "no problems" : "1 warning"
      #expect(check.lines.last == "tenon check: 1 executable, \(result)")
      #expect(check.lines.contains { $0.hasSuffix("[no-components]") } == (host == .whole))
    }
  }

  @Test func r11ALiveAppAdoptsALibraryThatIsLoadedLater() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", "graph=a", "checkout=a", .load(.payments), "adopt=a", "graph=a", "checkout=a")
    #expect(
      result.lines == [
        "graph: checkout", "checkout: deferred none, provider none, receipts []",
        "adopted", "graph: checkout payments",
        #"checkout: deferred cards, provider cards, receipts ["paid by card"]"#,
      ])
    #expect(result.errors == "")
  }

  /// The host requests nothing after it has loaded the library.
  @Test func r11ADeferredNeedIsDeliveredWithoutALookUp() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", "wait-for-payments=a", .load(.payments), "delivered", "graph=a")
    #expect(result.lines == ["delivered: cards", "graph: checkout payments"])
    #expect(result.errors == "")
  }

  /// Adoption begins on another thread. Callers that resolve during it wait for it.
  @Test func r11LoadedComponentsCanBeResolvedImmediately() async throws {
    let package = try Package.current
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          let result = try await package.run(
            .shared, "configure=a", .load(.payments), "must-have-payments=a", "checkout=a")
          #expect(
            result.lines == [
              "payments: cards", #"checkout: deferred cards, provider cards, receipts ["paid by card"]"#,
            ])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func r11AnAppThatIsConfiguredAfterwardsHasTheLibrary() async throws {
    let result = try await Package.current.run(
      .shared, .load(.payments), "configure=b", "graph=b", "payments=b")
    #expect(result.lines == ["graph: checkout payments", "payments: cards"])
  }

  @Test func r11EveryLiveAppAdopts() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", "configure=b", .load(.payments), "payments=a", "payments=b")
    #expect(result.lines == ["payments: cards", "payments: cards"])
  }

  @Test func r11ALibraryThatCollidesIsRefusedAndTheOthersAreAdopted() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", .load(.colliding), "adopt=a", "ledger=a", "graph=a", .load(.payments),
      "must-have-payments=a", "ledger=a", "graph=a", "adopt=a")
    #expect(
      result.lines == [
        "refused: duplicate-key", "ledger: host", "graph: checkout", "payments: cards", "ledger: host",
        "graph: checkout payments", "refused: duplicate-key",
      ])
  }

  @Test func r11ARejectedAdoptionIsLogged() async throws {
    let host = try Package.current.start(.shared, "configure=a", .load(.colliding))
    let errors = await host.errors { $0.contains("can't be adopted by the app \"a\"") }
    let text = try #require(errors)
    #expect(text.contains("Ledger") && text.contains("colliding 1.0.0") && text.contains("checkout 1.0.0"))
    host.signal(SIGKILL)
    _ = await host.result()
  }

  @Test func r11ALibraryIsAdoptedWhenWhatItNeedsIsLoadedAfterIt() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", .load(.refunds), "adopt=a", .load(.payments), "adopt=a", "checkout=a")
    #expect(
      result.lines == [
        "refused: missing-dependency", "adopted",
        #"checkout: deferred cards, provider cards, receipts ["paid by card", "refunded to cards"]"#,
      ])
  }

  /// The first library registers before the second one. Adoption waits until the whole image is loaded.
  @Test func r11LibrariesOfOneImageMayNeedEachOther() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", .load(.pair), "adopt=a", "checkout=a", "graph=a")
    #expect(
      result.lines == [
        "adopted", #"checkout: deferred none, provider none, receipts ["sent to somewhere"]"#,
        "graph: addresses checkout senders",
      ])
    #expect(result.errors == "")
  }

  @Test func r11ComponentsOfTheMainActorAreCreatedThere() async throws {
    let result = try await Package.current.run(
      .shared, "configure=a", "wait-for-a-screen=a", .load(.screens), "delivered", "graph=a")
    #expect(result.lines == ["delivered: main", "graph: checkout screens"])
    #expect(result.errors == "")
  }

  @Test func r11AnAppWithExplicitLibrariesAdoptsNoOthers() async throws {
    let result = try await Package.current.run(
      .shared, "configure-listed=listed", "configure-filtered=filtered", "configure=open", .load(.payments),
      "adopt=listed", "adopt=filtered", "payments=listed", "payments=filtered", "payments=open",
      "graph=listed", "graph=filtered")
    #expect(
      result.lines == [
        "adopted", "adopted", "payments: none", "payments: none", "payments: cards", "graph: checkout",
        "graph: checkout",
      ])
    #expect(result.errors == "")
  }

  // MARK: - Copies of Core

  @Test func r11OneSharedCoreIsOneImage() async throws {
    let package = try Package.current
    let result = try await package.run(
      .shared, .load(.payments), .load(.refunds), .load(.colliding), "images")
    #expect(result.lines == ["core: \(package.path(.core))"])
    #expect(result.errors == "")
  }

  /// A host with its own Core, and one that shares Core with other plugins.
  @Test(arguments: [Package.Host.whole, .shared])
  func r11ASecondCoreIsNoticedWithBothPathsWhenItIsLoaded(_ host: Package.Host) async throws {
    let package = try Package.current
    let first = host == .whole ? package.path(.whole) : package.path(.core)
    let result = try await package.run(host, .load(.vendor), "images", .vendorReport)
    let paths = [first, package.path(.vendor)]
    #expect(
      result.lines.sorted()
        == (paths.map { "core: \($0)" } + ["vendor libraries: vendor"] + paths.map { "vendor core: \($0)" })
        .sorted())
    let reports = result.errors.split(separator: "\n").filter { $0.hasPrefix("error tenon-core: ") }
    #expect(reports.count == 1)
    #expect(paths.allSatisfy { reports.first?.contains($0) == true })
  }

  /// The same for a shared Core that other plugins use, beside the host's own.
  @Test func r11ASharedCoreBesideTheHostsOwnIsNoticed() async throws {
    let package = try Package.current
    let result = try await package.run(.whole, .load(.payments))
    #expect(result.errors.contains("2 copies of TenonCore"))
    #expect(result.errors.contains("\(package.path(.whole)), \(package.path(.core)) (this one)"))
  }

  @Test(arguments: [Package.Host.whole, .shared])
  func r11ConfiguringBesideASecondCoreSucceedsAndIsReported(_ host: Package.Host) async throws {
    let package = try Package.current
    let before = try await package.run(host, "configure=a", .load(.vendor))
    #expect(reports(before) == 1)
    let after = try await package.run(host, .load(.vendor), "configure=a", .vendorConfigure)
    // When it is loaded, and when each copy configures an app.
    #expect(reports(after) == 3)
    #expect(after.lines.contains("vendor app: default"))
    let own = host == .whole ? package.path(.whole) : package.path(.core)
    #expect(after.errors.contains("\(own) (this one)"))
    #expect(after.errors.contains("\(package.path(.vendor)) (this one)"))
  }

  /// A second Core may be the cause of a configuration error.
  @Test func r11AConfigurationErrorNamesASecondCore() async throws {
    let result = try await Package.current.run(.whole, .load(.vendor), "configure-misspelt")
    #expect(result.lines == ["refused: unknown-library several-cores"])
  }

  private func reports(_ result: Executable.Result) -> Int {
    result.errors.split(separator: "\n").count {
      $0.hasPrefix("error tenon-core: TENON-403: This process has 2 copies")
    }
  }
}
