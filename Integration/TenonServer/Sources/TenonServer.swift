import ArgumentParser
import Dispatch
import TenonCore
import TenonEmbedded
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Serves the embedded backend over HTTP and gRPC, so that clients in other processes and other languages can use it.
@main
struct TenonServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon-server",
    abstract: "Serves Tenon's embedded backend on loopback, for the clients of Firebase's emulators.",
    discussion: """
      Prints one line of JSON with its address on standard output when it is ready, and exits on SIGINT and SIGTERM. What it \
      tells people is on standard error: the link of the data browser, the variables for clients, a line for each request, mails \
      and text messages. What it \
      has acknowledged is durable in a folder, unless it is told to keep the data in memory. Every program on this \
      machine has full access: tokens are unsigned, and "Bearer owner" is an administrator. Web pages have access only if \
      their origin is loopback (localhost, 127.0.0.1, [::1]) or allowed with --allow-origin. Use it for development only.

      Clients use it through their emulator settings, for example FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099 and \
      FIRESTORE_EMULATOR_HOST=127.0.0.1:9099, which it prints. Documents are served over gRPC, WebChannel and REST. There may be one port or \
      several; every port serves everything.

      A firebase.json in the current folder, or that of --config, is read as Firebase's command-line tool does: the ports of \
      emulators, and the rules of documents and objects. Options precede it. The project is that of --project, which may be \
      an alias of .firebaserc, or the default one of .firebaserc.
      """,
    version: Release.version
  )

  @Option(
    help: ArgumentHelp("A file in the form of firebase.json (default: firebase.json).", valueName: "file"))
  var config: String?

  @Option(
    help: """
      The one port to listen on, on 127.0.0.1; 0 selects a free one. (default: the ports of firebase.json, or else \(defaultPort))
      """)
  var port: UInt16?

  @Option(
    help: """
      one: everything on port \(defaultPort), whatever firebase.json says. default: the ports on which Firebase's clients look for \
      emulators, 9099 (auth), 8080 (firestore), 9199 (storage), 5001 (functions) and 4400 (hub).
      """)
  var ports: PortChoice?

  @Option(
    help: """
      The project whose accounts, functions, objects and documents are served, or its alias in .firebaserc. (default: that of \
      .firebaserc, or else \(defaultProject))
      """)
  var project: String?

  @Option(
    help: """
      The directory for the data. (default: .tenon/PROJECT beside firebase.json, or in the current folder)
      """)
  var directory: String?

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp(
      """
      Begin with an export of Firebase's emulator suite or of this server: its folder, or a file \
      NAME.overall_export_metadata of Google's emulator. The data is kept in memory, unless --directory names a new folder.
      """, valueName: "folder"))
  var importFolder: String?

  @Option(
    name: .customLong("export-on-exit"), defaultAsFlag: "", parsing: .next,
    help: ArgumentHelp(
      """
      Export the data on SIGINT and SIGTERM, into this folder or that of --import. The last export is replaced when the new one \
      is complete.
      """, valueName: "folder"))
  var exportFolder: String?

  @Flag(help: "Keep the data in memory, for tests. It is lost when the server ends.")
  var memory = false

  @Flag(help: "Print neither the variables for clients nor a line for each request.")
  var quiet = false

  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      "An origin beyond loopback whose web pages may use the server, such as https://app.example.com; may be repeated.",
      valueName: "origin"))
  var allowedOrigins: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file with Security Rules that decide who can read and write documents. It is read again when it changes.",
      valueName: "file"))
  var rules: String?

  @Option(
    name: .customLong("storage-rules"),
    help: ArgumentHelp(
      "A file with Security Rules that decide who can read and write objects. It is read again when it changes.",
      valueName: "file"))
  var storageRules: String?

  @Flag(
    help: """
      Let users read and write only documents below users/UID, where UID is their ID, instead of all documents. Administrators \
      aren't restricted.
      """)
  var protectDocuments = false

  @Flag(
    help: """
      Refuse requests for documents, objects and functions without an App Check token of the project. Administrators need none.
      """)
  var requireAppCheck = false

  @Option(
    name: .customLong("url-signer"),
    help: ArgumentHelp(
      """
      A service account whose signed URLs are verified, and the file of its public key in PEM; may be repeated. All other \
      signed URLs are refused. Without it, any signer is accepted.
      """, valueName: "address=file"))
  var urlSigners: [URLSignerFile] = []

  @Flag(
    name: .customLong("any-project"),
    help: """
      Also serve the documents of other projects, each with its own, as Google's emulator does; so does \
      emulators.singleProjectMode of firebase.json if it is false.
      """)
  var anyProject = false

  @Flag(
    help: """
      Refuse requests for accounts of other projects and for tenants that nobody has created. Without it, both exist as soon as \
      a request names them, as for Google's emulator.
      """)
  var singleProject = false

  @Flag(
    help: """
      Hash new passwords with the least work, for tests that create many users. Whoever reads the data can guess such passwords.
      """)
  var fastPasswords = false

  @Flag(help: "Also exit when standard input ends, that is, with the program that started this one.")
  var untilInputEnds = false

  /// What is served without an argument or a file that says otherwise.
  static let defaultPort: UInt16 = 9099
  static let defaultProject = "demo-tenon"

  /// The line that is printed when the server is ready.
  struct Announcement: Encodable {
    let address: String
    /// The address of the data browser, with its token.
    let browser: String
    /// The addresses of all emulators, if there are several ports.
    let emulators: [String: String]?
    let project: String

    init(_ places: ServedPlaces, browser: String, project: String) {
      address = places.address(of: places.emulators[0])
      self.browser = browser
      emulators =
        places.hasOnePort
        ? nil
        : Dictionary(uniqueKeysWithValues: places.emulators.map { ($0.rawValue, places.address(of: $0)) })
      self.project = project
    }
  }

  func validate() throws {
    for origin in allowedOrigins where WebOrigin(origin) == nil {
      throw ValidationError(
        "\(origin) isn't an origin. Write a scheme and a host, as in https://app.example.com.")
    }
    if port != nil, ports == .default {
      throw ValidationError(
        "--port is one port for everything, and --ports default are several. Pass one of them.")
    }
    if directory != nil, memory {
      throw ValidationError("--directory and --memory both decide where the data is. Pass one of them.")
    }
    if rules != nil, protectDocuments {
      throw ValidationError(
        "--rules and --protect-documents both decide about documents. Pass one of them.")
    }
    if exportFolder == "", importFolder == nil {
      throw ValidationError(
        "--export-on-exit names no folder, and without --import there is none. Write --export-on-exit=FOLDER."
      )
    }
    for signer in urlSigners { _ = try signer.key() }
    var status = stat()
    if let directory, stat(directory, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw ValidationError("\(directory) is a file. Name a folder with --directory; it may be new.")
    }
  }

  func run() async throws {
    // Installed first, so that a signal soon after the announcement isn't lost.
    let termination = Termination(watchesInput: untilInputEnds)
    // A reader that closes the output must not end the server.
    signal(SIGPIPE, SIG_IGN)
    let plan = try ServerPlan(self)
    for note in plan.notes { StandardError.print(note) }
    let app = try App.configure(
      options: AppOptions(
        projectID: plan.project,
        backend: .embedded(directory: plan.directory)
      )
    )
    let embedded = try Embedded.embedded(app: app)
    try SampleFunctions.register(with: embedded)
    Mailbox.open(for: embedded)
    embedded.settings.fastPasswordHashing = fastPasswords
    if protectDocuments {
      embedded.onDocumentAccess { access in
        access.auth.map { access.path.hasPrefix("users/\($0.uid)/") || access.path == "users/\($0.uid)" }
          ?? false
      }
    }
    var files: [RulesFile] = []
    if let rules = plan.documentRules {
      files.append(try RulesFile(rules) { embedded.documentSecurityRules = $0 })
    }
    if let rules = plan.objectRules {
      files.append(try RulesFile(rules) { embedded.objectSecurityRules = $0 })
    }
    embedded.settings.servesOtherProjects = plan.servesOtherProjects
    embedded.settings.createsProjectsAndTenants = !singleProject
    embedded.settings.unverifiedPasskeys = true
    if !urlSigners.isEmpty {
      embedded.settings.urlSigners = try urlSigners.reduce(into: [:]) { $0[$1.account] = try $1.key() }
    }
    if requireAppCheck {
      embedded.settings.appCheckRequired = [.functions, .storage, .firestore]
    }
    ServerLimits.raiseFileLimit()
    let limits = ServerLimits()
    let access = AccessRules(allowedOrigins: Set(allowedOrigins.compactMap { WebOrigin($0) }))
    // Opens the database before connections use up the process's file descriptors.
    _ = try await embedded.accountCodes()
    let exchange = SuiteExchange(embedded, project: plan.project)
    if let folder = plan.importFolder { StandardError.print(try await exchange.load(from: folder)) }
    let hub = Hub(exchange, embedded)
    let browser = DataBrowser(
      embedded, project: plan.project, directory: plan.directory, protectsDocuments: protectDocuments)
    let gateway = Gateway(
      embedded: embedded, access: access, limits: limits, log: RequestLog(isQuiet: quiet), hub: hub,
      browser: browser)
    let listener = try await Listener(endpoints: plan.endpoints, limits: limits, gateway: gateway)
    hub.open(listener.places)
    let locator = HubLocator(of: plan.project, listener.places)
    if let note = locator?.write(), !quiet { StandardError.print(note) }
    await termination.begin()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let page = browser.address(listener.places)
    let line = try encoder.encode(Announcement(listener.places, browser: page, project: plan.project))
    if !quiet {
      StandardError.print("The data is in \(plan.directory ?? "memory"). Look into it: \(page)")
      let commands = ClientVariables.commands(listener.places, project: plan.project)
      StandardError.print(commands.joined(separator: "\n"))
    }
    await StandardError.flush(within: .seconds(1))
    print(String(decoding: line, as: UTF8.self))
    // A pipe is buffered.
    fflush(nil)
    let watching = files.map { file in Task { await file.watch() } }
    await termination.wait()
    for task in watching { task.cancel() }
    locator?.remove()
    if let folder = plan.exportFolder {
      await listener.end()
      await self.export(exchange, to: folder)
    }
    // Nothing that has been acknowledged needs the time.
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(700)) { _exit(0) }
    if plan.exportFolder == nil { await listener.end() }
    await app.delete()
    await StandardError.flush(within: .milliseconds(200))
    // Open connections end with the process. Everything that was acknowledged is durable.
    Self.exit()
  }

  /// Exports the data at the end. A second signal interrupts it.
  private func export(_ exchange: SuiteExchange, to folder: String) async {
    do {
      try await exchange.export(to: folder)
      StandardError.print("The data was exported to \(folder).")
    } catch {
      StandardError.print("The data wasn't exported, and the last export remains. \(error)")
      await StandardError.flush(within: .milliseconds(200))
      _exit(1)
    }
  }
}
