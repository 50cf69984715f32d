import ArgumentParser
import Foundation
import NotesText
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonStorage
import TenonStore

/// The options of every command: the location of the notes, and the server with which they are synchronized.
struct NotesOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The directory for the notes.", valueName: "directory"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Synchronize the notes with the Firestore emulator, or tenon-server, at this address.",
      valueName: "host:port"),
    transform: { try EmulatorAddress($0) })
  var emulator: EmulatorAddress?

  @Option(
    help: ArgumentHelp("With --emulator, how long to wait for the server.", valueName: "seconds"))
  var wait = 10

  func validate() throws {
    guard (1...3_600).contains(wait) else {
      throw ValidationError("--wait \(wait) isn't a number of seconds from 1 to 3600.")
    }
  }

  /// The directory, from the option or the environment.
  var directory: String {
    let environment = ProcessInfo.processInfo.environment
    if let directory = data ?? environment["NOTES_HOME"], !directory.isEmpty { return directory }
    let base =
      environment["XDG_DATA_HOME"] ?? "\(FileManager.default.homeDirectoryForCurrentUser.path)/.local/share"
    return "\(base)/notes"
  }

  /// The options of the app.
  ///
  /// With `--emulator`, the products use one server at one address, and documents on this device are kept
  /// apart from those of the embedded backend: a server deletes what it doesn't know from a device.
  var app: AppOptions {
    let directory = URL(filePath: directory).absoluteURL.path
    var options = AppOptions(
      projectID: NotesApp.projectID, apiKey: "notes", storageBucket: NotesApp.bucket,
      backend: .embedded(directory: directory))
    if let host = emulator?.description {
      options.backend = .emulator(EmulatorHosts(auth: host, functions: host, storage: host, firestore: host))
      options.data = .directory("\(directory)/emulator")
    }
    return options
  }
}

/// The app: its products, with a signed-in user unless it is synchronized with an emulator.
struct NotesApp {
  static let projectID = "notes"
  static let bucket = "notes.appspot.com"

  let app: App
  let notes: CollectionReference
  let attachments: CollectionReference
  let store: Store
  let storage: Storage
  let functions: Functions
  /// The server of `--emulator`; `nil` with the embedded backend.
  let server: SyncServer?
  /// Whether the server could be reached when the app was opened; `true` with the embedded backend.
  let isOnline: Bool
  let contents = ContentsCheck()

  /// Configures the app with its backend.
  ///
  /// With the embedded backend, it signs in as the same user each time, because the session is persistent.
  /// With an emulator, no user signs in: Google's emulator of Firestore has no accounts, signing in requires
  /// a connection, and pending writes are sent as the user who made them.
  static func open(_ options: NotesOptions) async throws -> NotesApp {
    let server = options.emulator.map { SyncServer(address: $0, limit: .seconds(options.wait)) }
    let isOnline = try await server?.isReachable() ?? true
    let app = try App.configure(options: options.app)
    let store = try Store.store(settings: StoreSettings(textIndexes: [Note.textIndex]))
    let storage = try Storage.storage()
    if server != nil {
      // Offline, a command must not wait as long as an app could.
      let limit = Duration.seconds(options.wait)
      storage.maxOperationRetryTime = limit
      storage.maxUploadRetryTime = limit
      storage.maxDownloadRetryTime = limit
    } else if try Auth.auth().currentUser == nil {
      try await Auth.auth().signInAnonymously()
    }
    let notes = NotesApp(
      app: app,
      notes: store.collection("notes"),
      attachments: store.collection("attachments"),
      store: store,
      storage: storage,
      functions: try Functions.functions(),
      server: server,
      isOnline: isOnline
    )
    if server == nil { notes.serveStatistics() }
    return notes
  }

  /// Runs a command's work with the app, and closes the app afterwards in any case.
  ///
  /// With an emulator, it then waits for a limited time until the server has the writes. If the server can't
  /// be reached, it prints that.
  ///
  /// - Throws: ``Failure``; `ExitCode` if the server has refused writes; the errors of `body`.
  static func run<Result>(
    _ options: NotesOptions,
    _ body: (NotesApp) async throws -> Result
  ) async throws -> Result {
    let notes = try await open(options)
    do {
      if !notes.isOnline { notes.server?.reportOffline() }
      let result = try await body(notes)
      if let server = notes.server {
        if notes.isOnline { try await server.send(from: notes.store) }
        let refused = URL(filePath: options.directory).appending(path: "emulator/refused")
        try await server.reportChanges(of: notes.store, keepingTextsIn: refused)
      }
      await notes.app.delete()
      return result
    } catch is SyncServer.Refused {
      await notes.app.delete()
      throw ExitCode.failure
    } catch {
      await notes.app.delete()
      let text = "\(error)"
      // Messages contain the names of documents, which others may have written.
      if text.visibleLines != text { throw Failure(text) }
      throw error
    }
  }

  /// Calls a closure with every document of a query, page by page, so that memory doesn't grow with their
  /// number.
  static func forEach(_ query: some Queryable, _ body: (QueryDocumentSnapshot) async throws -> Void)
    async throws
  {
    let size = 100
    var page = query.limit(to: size)
    while true {
      let documents = try await page.getDocuments().documents
      for document in documents { try await body(document) }
      guard documents.count == size, let last = documents.last else { return }
      page = query.limit(to: size).start(afterDocument: last)
    }
  }
}
