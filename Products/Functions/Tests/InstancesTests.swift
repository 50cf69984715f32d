import TenonCore
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

@Suite(.limited) struct InstancesTests {
  @Test func appHasOneInstancePerRegion() async throws {
    let app = try App.configure(
      name: "functions-regions",
      options: AppOptions(projectID: "demo", data: .memory),
      libraries: [FunctionsLibrary.self]
    )
    let functions = try Functions.functions(app: app)
    #expect(functions.region == "us-central1")
    #expect(try Functions.functions(app: app) === functions)
    #expect(try Functions.functions(app: app, region: "europe-west1") !== functions)
    let thrown = #expect(throws: FunctionsError.self) { try Functions.functions(app: app, region: "eu/1") }
    #expect(thrown?.code == .invalidArgument)
    await app.delete()
    #expect(throws: ComponentError.self) { try Functions.functions(app: app) }
  }

  @Test func libraryIsRegistered() {
    #expect(LibraryRegistry.libraries.contains { $0.type == FunctionsLibrary.self })
  }

  @Test func embeddedBackendRequiresItsTransport() {
    let context = AppContext(
      name: "tests",
      options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)),
      userAgent: ""
    )
    let thrown = #expect(throws: TransportError.self) {
      try FunctionsInstances(app: context, auth: nil, appCheck: nil, transport: nil)
    }
    #expect(thrown?.message.contains("TenonEmbedded") == true)
  }
}
