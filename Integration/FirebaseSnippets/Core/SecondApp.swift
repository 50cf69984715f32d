import TenonCore
import TenonStore

/// A second project beside the first.
// expect: 'FirebaseOptions' has been renamed to 'AppOptions'
func secondApp(options: FirebaseOptions) throws {
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: call can throw but is not marked with 'try'
  FirebaseApp.configure(name: "archive", options: options)
  // expect: 'FirebaseApp' has been renamed to 'App'
  guard let archive = FirebaseApp.app(name: "archive") else {
    return
  }
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'firestore(app:)' has been renamed to 'store(app:)'
  // expect: call can throw but is not marked with 'try'
  let db = Firestore.firestore(app: archive)
  print(archive.name, archive.options.projectID ?? "none", db)
}
