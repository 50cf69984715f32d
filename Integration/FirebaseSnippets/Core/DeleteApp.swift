import TenonCore

/// Takes an app down.
func deleteApp() {
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: 'delete' is unavailable: Deletion is asynchronous: await app.delete(), in a Task { … } if need be.
  FirebaseApp.app(name: "archive")?.delete { success in
    print(success)
  }
}

/// Takes an app down.
func deleteAppLater() async {
  // expect: 'FirebaseApp' has been renamed to 'App'
  await FirebaseApp.app(name: "archive")?.delete()
}
