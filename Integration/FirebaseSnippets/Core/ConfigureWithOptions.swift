import TenonCore

/// Options in code, for a project that another plist doesn't name.
func configureWithOptions() {
  // expect: 'FirebaseOptions' has been renamed to 'AppOptions'
  // expect: 'init(googleAppID:gcmSenderID:)' is unavailable: Write AppOptions(projectID: …, apiKey: …, appID: …, senderID: …). No product requires all of them.
  let options = FirebaseOptions(googleAppID: "1:27992087142:ios:2a4732a34787067a", gcmSenderID: "27992087142")
  // expect: cannot assign to property: 'options' is a 'let' constant
  options.apiKey = "a key"
  // expect: cannot assign to property: 'options' is a 'let' constant
  options.projectID = "harbour-1"
  // expect: cannot assign to property: 'options' is a 'let' constant
  options.storageBucket = "harbour-1.appspot.com"
  // expect: 'FirebaseApp' has been renamed to 'App'
  FirebaseApp.configure(options: options)
}
