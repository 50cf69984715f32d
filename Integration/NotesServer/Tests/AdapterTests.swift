import Configuration
import Hummingbird
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import ServerAdapters
import ServiceLifecycle
import TenonAdmin
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonObservabilityInterop
import TenonTestSupport
import TenonTesting
import Testing
import Tracing

@testable import notes_server

/// The files that `tenon new adapter` writes.
@Suite(.limited) struct AdapterTests {
  @Test func theAdaptersFormAChainThatReceivesEverything() async throws {
    let (log, metrics, tracer) = (InMemoryLogHandler(), TestMetrics(), InMemoryTracer())
    var logger = Logger(label: "test") { _ in log }
    logger.logLevel = .debug
    await ObservabilityInteropContract.exercise(
      LoggingObservability(logger, next: MetricsObservability(metrics, next: TracingObservability(tracer))),
      count: 50)

    #expect(Set(log.entries.map { "\($0.message)" }) == Set((0..<50).map { "line \($0)" }))
    #expect(log.entries.allSatisfy { "line \($0.metadata["number"]?.description ?? "")" == "\($0.message)" })
    #expect(metrics.counterTotal(label: "contract") == 50)
    #expect(metrics.counterTotal(label: "contract", dimensions: [("number", "7")]) == 1)
    let gauges = metrics.recorders(label: "contract")
    #expect(Set(gauges.compactMap(\.lastValue)) == Set((0..<50).map(Double.init)))
    let timer = try #require(metrics.timers(label: "contract", dimensions: [("number", "7")]).first)
    #expect(timer.lastValue == 7_000_000)

    let spans = tracer.finishedSpans
    #expect(spans.count == 100 && tracer.activeSpans.isEmpty)
    for inner in spans where inner.kind == .client {
      let outer = try #require(spans.first { $0.spanID == inner.parentSpanID })
      #expect(outer.traceID == inner.traceID && outer.parentSpanID == nil)
      #expect(inner.attributes.get("number") == outer.attributes.get("number"))
      #expect(inner.attributes.get("value") == .double(0.5) && inner.attributes.get("is-last") == .bool(true))
    }
    let failures = spans.filter { $0.status?.code == .error }
    #expect(failures.count == 50)
    #expect(failures.allSatisfy { $0.attributes.get("error.type") == .string("cancelled") })
  }

  /// Without what handles it, nothing fails.
  @Test func eachAdapterWorksAlone() async {
    await ObservabilityInteropContract.exercise(
      LoggingObservability(Logger(label: "a") { _ in SwiftLogNoOpLogHandler() }))
    let observability = MetricsObservability(TestMetrics())
    observability.beginSpan("a", kind: .internal, parent: nil, attributes: [:]).end(
      errorType: nil, attributes: [:])
    let tracing = TracingObservability(InMemoryTracer())
    tracing.count("a", by: 1, attributes: [:])
    tracing.gauge("a", 1, attributes: [:])
    tracing.time("a", .seconds(1), attributes: [:])
  }

  @Test(arguments: [
    (Duration.zero, Int64(0)), (.nanoseconds(1), 1), (.seconds(3600), 3_600_000_000_000),
    (.seconds(Int64.max), Int64.max),
  ])
  func aDurationIsCountedInNanoseconds(duration: Duration, expected: Int64) throws {
    let metrics = TestMetrics()
    MetricsObservability(metrics).time("a", duration, attributes: [:])
    #expect(try metrics.expectTimer("a").lastValue == expected)
  }

  @Test func aSpanWithoutAParentBelongsToThatOfTheTask() throws {
    let tracer = InMemoryTracer()
    let observability = TracingObservability(tracer)
    let request = tracer.withAnySpan("request", context: .topLevel, ofKind: .server) { span in
      observability.beginSpan("a", kind: .client, parent: nil, attributes: ["n": 1]).end(
        errorType: nil, attributes: [:])
      return span.context.inMemorySpanContext
    }
    let span = try #require(tracer.finishedSpans.first { $0.operationName == "a" })
    #expect(span.parentSpanID == request?.spanID && span.attributes.get("n") == .int64(1))
    #expect(span.status == nil)
  }

  @Test func theOptionsComeFromAConfiguration() throws {
    let options = try AppOptions(
      ConfigReader(
        provider: EnvironmentVariablesProvider(environmentVariables: [
          "TENON_PROJECT_ID": "shop", "TENON_API_KEY": "key", "TENON_APP_ID": "1:2:web:3",
          "TENON_SENDER_ID": "2", "TENON_STORAGE_BUCKET": "photos", "TENON_DATA": "memory",
          "FIREBASE_AUTH_EMULATOR_HOST": "localhost:1", "FIREBASE_STORAGE_EMULATOR_HOST": "localhost:2",
          "FUNCTIONS_EMULATOR_HOST": "localhost:3", "FIRESTORE_EMULATOR_HOST": "localhost:4",
        ])))
    let expected = AppOptions(
      projectID: "shop", apiKey: "key", appID: "1:2:web:3", senderID: "2", storageBucket: "photos",
      backend: .emulator(
        EmulatorHosts(
          auth: "localhost:1", functions: "localhost:3", storage: "localhost:2", firestore: "localhost:4")),
      data: .memory)
    #expect(options == expected)

    let file = InMemoryProvider(values: [
      "tenon.projectID": "shop", "tenon.backend": "embedded:/var/lib/shop",
    ])
    let embedded = try AppOptions(ConfigReader(provider: file))
    #expect(embedded.projectID == "shop" && embedded.backend == .embedded(directory: "/var/lib/shop"))
    #expect(try AppOptions(ConfigReader(provider: InMemoryProvider(values: [:]))) == AppOptions())
    let fallback = InMemoryProvider(values: ["google.cloudProject": "cloud"])
    #expect(try AppOptions(ConfigReader(provider: fallback)).projectID == "cloud")
  }

  @Test func aMalformedValueIsNamed() throws {
    let provider = InMemoryProvider(values: ["tenon.projectID": "shop", "tenon.backend": "moon"])
    let error = #expect(throws: ConfigurationError.self) { try AppOptions(ConfigReader(provider: provider)) }
    #expect(error?.description.contains("TENON_BACKEND") == true)
  }

  /// Runs an app with a route that shows what the middleware provides.
  private func withRoute(
    requiresAppCheck: Bool,
    _ body: (_ port: Int, App) async throws -> Void
  ) async throws {
    let app = try App.configure(
      name: "middleware-\(UUID())",
      options: AppOptions(projectID: "demo-notes", backend: .embedded(directory: nil), data: .memory))
    let former = Lock<ComponentContainer?>(nil)
    let router = Router(context: NotesContext.self)
    router.group().add(middleware: try UserMiddleware(app: app, requiresAppCheck: requiresAppCheck))
      .get("user") { _, context in
        let user = try context.signedIn
        let container = try #require(context.container)
        #expect(try container.resolve(DecodedIDToken.self) == user)
        #expect(container.parent === app.container)
        former.withLock { $0 = container }
        return Injected<DecodedIDToken>().wrappedValue.uid
      }
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    let group = ServiceGroup(
      services: [
        Application(
          router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
          onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) })
      ], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task {
      defer { continuation.finish() }
      try await group.run()
    }
    do {
      for await port in ports {
        try await body(port, app)
        break
      }
    } catch {
      Issue.record(error)
    }
    await group.triggerGracefulShutdown()
    try await running.value
    // The container of a request ends with it.
    let container = former.withLock { $0 }
    if let container {
      #expect(throws: ComponentError.self) { try container.resolve(DecodedIDToken.self) }
    }
    #expect(try app.resolveIfPresent(DecodedIDToken.self) == nil)
    await app.delete()
  }

  @Test func theUserIsInTheContextAndInAContainerOfTheRequest() async throws {
    try await withRoute(requiresAppCheck: false) { port, app in
      let user = try await Auth.auth(app: app).createUser(withEmail: "ann@example.com", password: "secret1")
        .user
      let token = try await user.getIDToken()
      for scheme in ["Bearer", "bearer"] {
        let answer = try await Answer.to(
          .get, "/user", at: port, fields: ["Authorization": "\(scheme) \(token)"])
        #expect(answer.status == 200 && answer.text == user.uid)
      }
      for header in ["Basic \(token)", "Bearer", "Bearer x", "x"] {
        let answer = try await Answer.to(.get, "/user", at: port, fields: ["Authorization": header])
        #expect(answer.status == 401, "\(header)")
      }
    }
  }

  @Test func anAppCheckTokenCanBeRequired() async throws {
    try await withRoute(requiresAppCheck: true) { port, app in
      let user = try await Auth.auth(app: app).createUser(withEmail: "ann@example.com", password: "secret1")
        .user
      let bearer = "Bearer \(try await user.getIDToken())"
      let appCheck = try await AppCheck.appCheck(app: app).token().token
      func status(_ fields: [String: String]) async throws -> Int {
        try await Answer.to(.get, "/user", at: port, fields: fields).status
      }
      #expect(try await status(["Authorization": bearer, "X-Firebase-AppCheck": appCheck]) == 200)
      #expect(try await status(["Authorization": bearer]) == 401)
      #expect(try await status(["Authorization": bearer, "X-Firebase-AppCheck": "forged"]) == 401)
      #expect(try await status(["X-Firebase-AppCheck": appCheck]) == 401)
    }
  }
}
