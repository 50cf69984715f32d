import TenonCore

/// The first line of every program.
@MainActor
func launch() {
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  FirebaseApp.configure()
}
