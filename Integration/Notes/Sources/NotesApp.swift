import ArgumentParser
import Foundation
import NotesText
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonStorage
import TenonStore

/// The options of every command: the location of the notes.
struct NotesOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The directory for the notes.", valueName: "directory"))
  var data: String?

  /// The directory, from the option or the environment.
  var directory: String {
    let environment = ProcessInfo.processInfo.environment
    if let directory = data ?? environment["NOTES_HOME"], !directory.isEmpty { return directory }
    let base = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? ".")/.local/share"
    return "\(base)/notes"
  }
}

/// The app: its products, with a signed-in user.
struct NotesApp {
  let app: App
  let notes: CollectionReference
  let attachments: CollectionReference
  let store: Store
  let storage: Storage
  let functions: Functions

  /// Configures the app with its embedded backend, and signs in as the same user each time, because the
  /// session is persistent.
  static func open(_ options: NotesOptions) async throws -> NotesApp {
    let app = try App.configure(
      options: AppOptions(
        projectID: "notes",
        storageBucket: "notes.appspot.com",
        backend: .embedded(directory: URL(filePath: options.directory).absoluteURL.path)
      )
    )
    let store = try Store.store()
    if try Auth.auth().currentUser == nil { try await Auth.auth().signInAnonymously() }
    let notes = NotesApp(
      app: app,
      notes: store.collection("notes"),
      attachments: store.collection("attachments"),
      store: store,
      storage: try Storage.storage(),
      functions: try Functions.functions()
    )
    notes.serveStatistics()
    return notes
  }

  /// Runs a command's work with the app, and closes the app afterwards in any case.
  static func run<Result>(
    _ options: NotesOptions,
    _ body: (NotesApp) async throws -> Result
  ) async throws -> Result {
    let notes = try await open(options)
    do {
      let result = try await body(notes)
      await notes.app.delete()
      return result
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
  static func forEach(_ query: some Queryable, _ body: (DocumentSnapshot) async throws -> Void) async throws {
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
