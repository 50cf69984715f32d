// What the publishers of TenonStoreCombine promise, one line for each promise that is kept. `CombineTests`
// builds it in a package that enables the trait OpenCombine, and compares the lines.
import TenonAuth
import TenonCore
import TenonStorage
import TenonStore
import TenonStoreCombine

/// A subscriber that demands what the program says, and records what it receives.
@MainActor final class Recorder<Input: Sendable>: @MainActor Subscriber {
  typealias Failure = any Error
  var values: [Input] = []
  var completion: Subscribers.Completion<any Error>?
  var subscription: (any Subscription)?
  /// Called with each value; returns the further demand.
  var answer: (Input) -> Subscribers.Demand = { _ in .none }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    return answer(input)
  }

  func receive(completion: Subscribers.Completion<any Error>) { self.completion = completion }

  func wait(for count: Int) async { while values.count < count { await Task.yield() } }
}

func check(_ promise: String, _ isKept: Bool) { print(isKept ? promise : "BROKEN: \(promise)") }

/// Lets the other tasks run, so that what must not happen could happen.
func pause() async { for _ in 0..<200 { await Task.yield() } }

let options = AppOptions(
  projectID: "demo", apiKey: "key", storageBucket: "bucket",
  backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9", storage: "127.0.0.1:9")), data: .memory)
let app = try App.configure(options: options)
let store = try Store.store(settings: StoreSettings(isLocalOnly: true))
let (notes, tea) = (store.collection("notes"), store.document("notes/tea"))

do {
  let recorder = Recorder<DocumentSnapshot>()
  tea.snapshotPublisher().subscribe(recorder)
  try await tea.setData(["n": 0])
  await pause()
  check("without demand, nothing is delivered", recorder.values.isEmpty)
  recorder.subscription?.request(.max(1))
  await recorder.wait(for: 1)
  for n in 1...20 { try await tea.updateData(["n": n]) }
  await pause()
  check("a demand of one is one value", recorder.values.count == 1)
  recorder.subscription?.request(.max(1))
  await recorder.wait(for: 2)
  check("a slow subscriber receives the newest state", recorder.values.last?.fields?["n"] == 20)
  recorder.answer = { _ in .max(1) }
  recorder.subscription?.request(.max(1))
  for n in 21...23 {
    try await tea.updateData(["n": n])
    await recorder.wait(for: n - 18)
  }
  check("the demand that a subscriber returns counts", recorder.values.last?.fields?["n"] == 23)
  recorder.answer = { [weak recorder] _ in
    recorder?.subscription?.cancel()
    return .unlimited
  }
  try await tea.updateData(["n": 24])
  await recorder.wait(for: 6)
  try await tea.updateData(["n": 25])
  await pause()
  check("nothing is delivered after cancelling during a delivery", recorder.values.count == 6)
  check("cancelling isn't a completion", recorder.completion == nil)
}

do {
  var recorder: Recorder<QuerySnapshot>? = Recorder()
  weak let released = recorder
  recorder.map { notes.snapshotPublisher().subscribe($0) }
  recorder?.subscription?.cancel()
  recorder = nil
  await pause()
  check("cancelling before the first value releases the subscriber", released == nil)
}

do {
  @MainActor final class Owner {
    var count = 0
    var sub: AnyCancellable?
    init(_ query: some Queryable) {
      sub = query.combine.snapshotPublisher().sink(
        receiveCompletion: { _ in }, receiveValue: { [weak self] in self?.count = $0.count })
    }
  }
  var owner: Owner? = Owner(notes)
  while owner?.count != 1 { await Task.yield() }
  weak let released = owner
  owner = nil
  check("the owner of a subscription can be released", released == nil)
}

do {
  let recorder = Recorder<DocumentSnapshot>()
  store.document("notes").combine.snapshotPublisher().subscribe(recorder)
  recorder.subscription?.request(.unlimited)
  while recorder.completion == nil { await Task.yield() }
  if case .failure(let error)? = recorder.completion {
    check("a failure completes the publisher", (error as? StoreError)?.code == .invalidArgument)
  }
  recorder.subscription?.cancel()
}

do {
  var changes: [String] = []
  let sub = notes.order(by: "n").snapshotPublisher().sink(
    receiveCompletion: { changes.append("\($0)") },
    receiveValue: { changes += $0.documentChanges.map { "\($0.type) \($0.document.documentID)" } })
  while changes.count < 1 { await Task.yield() }
  try await notes.document("ale").setData(["n": 1])
  while changes.count < 2 { await Task.yield() }
  try await tea.delete()
  while changes.count < 3 { await Task.yield() }
  check("a query delivers its changes", changes == ["added tea", "added ale", "removed tea"])
  sub.cancel()
}

do {
  let first = Recorder<QuerySnapshot>()
  notes.snapshotPublisher(delivery: .anyThread).first().receive(on: ImmediateScheduler.shared)
    .map { @Sendable in $0 }.subscribe(on: ImmediateScheduler.shared)
    .sink(receiveCompletion: { @Sendable _ in }, receiveValue: { @Sendable _ in }).cancel()
  notes.snapshotPublisher().first().subscribe(first)
  first.subscription?.request(.unlimited)
  while first.completion == nil { await Task.yield() }
  check("operators can end the publisher", first.values.count == 1)
}

do {
  var users: [String] = []
  let auth = try Auth.auth()
  let sub = auth.authStateDidChangePublisher().sink { users.append($0?.uid ?? "signed out") }
  let tokens = auth.idTokenDidChangePublisher().sink { users.append($0?.uid ?? "no token") }
  while users.count < 2 { await Task.yield() }
  check("Auth's state is published", users.sorted() == ["no token", "signed out"])
  sub.cancel()
  tokens.cancel()
}

do {
  let upload = try Storage.storage().reference(withPath: "a").putData(.init([1, 2, 3]))
  let recorder = Recorder<StorageTaskSnapshot>()
  upload.snapshotPublisher().subscribe(recorder)
  recorder.subscription?.request(.max(1))
  await recorder.wait(for: 1)
  check("a transfer's state is published", recorder.values[0].status == .progress)
  upload.cancel()
  recorder.subscription?.request(.unlimited)
  while recorder.completion == nil { await Task.yield() }
  if case .failure(let error)? = recorder.completion {
    check("a transfer's failure completes the publisher", (error as? StorageError)?.code == .cancelled)
  }
}

do {
  var completions: [String] = []
  let sub = notes.snapshotPublisher().sink(
    receiveCompletion: { completions.append("\($0)") }, receiveValue: { _ in completions.append("value") })
  while completions.isEmpty { await Task.yield() }
  await store.terminate()
  while completions.last == "value" { await Task.yield() }
  check("closing the database finishes the publisher", completions.last == "finished")
  sub.cancel()
}
