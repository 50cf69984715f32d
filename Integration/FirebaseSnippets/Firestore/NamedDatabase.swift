import TenonCore
import TenonStore

/// A database that has a name.
func namedDatabase() throws {
  let named = try Store.store(database: "archive")
  if let app = App.app() {
    _ = try Store.store(app: app, database: "archive")
  }
  // expect: 'app' is unavailable: Keep the app that you pass to Store.store(app: …).
  print(named.app.name)
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'enableLogging' is unavailable: Set the level of the log with the environment variable TENON_LOG, for example debug.
  Firestore.enableLogging(true)
}
