import Dispatch
import TenonAuthInterop
import TenonCore
import TenonFunctions

protocol Clock: Sendable { var now: Double { get } }
struct SystemClock: Clock { let now = 0.0 }
struct AtomicClock: Clock { let now = 0.0 }
struct OffsetClock: Clock {
  let now: Double
  init(_ clock: any Clock, by offset: Double) { now = clock.now + offset }
}
struct Settings { let offset: Double }
protocol Greeter: Sendable {}
struct PoliteGreeter: Greeter {
  let clock: any Clock
  var auth: (any AuthInterop)?
}

protocol Database: Sendable {}
struct FileDatabase: Database { init(clock: any Clock) throws {} }
protocol NoteStore: Sendable {}
final class ImageCache: Sendable {}

final class Cart: Sendable {}
func savedCart() -> Cart? { nil }
let queue = DispatchQueue.global()
func refresh() {}
struct Catalog {
  static let demo = Catalog(database: nil, cache: ImageCache())
  init(database: (any Database)?, cache: ImageCache) {}
}
protocol Payments: Sendable { func warmUp() }
struct Checkout { let payments: Deferred<any Payments> }
enum ShopLibrary: Library {
  static let name = "shop"
  static let version = SemanticVersion(1, 0, 0)
  static let components: [AnyComponent] = []
}

struct User { var id = "ann", name: String? }
let user = User()
struct Session {
  let user: String
  var limit: Int?
  let clock: any Clock
}
struct Chat { init(_ begin: @escaping @Sendable (String) throws -> Session) {} }
protocol Radio: Sendable {}
@MainActor final class Screen { init(clock: any Clock) {} }
@MainActor final class Panel { var clock: (any Clock)? }

protocol Engine: Sendable {}
final class Wheel: Sendable {}
final class Car: Sendable {
  var engine: (any Engine)? {
    get { nil }
    set {}
  }
  var spareWheel: Wheel? {
    get { nil }
    set {}
  }
  var radio: (any Radio)? {
    get { nil }
    set {}
  }
  func install(_ engine: any Engine) {}
}
let car = Car()

final class Accounts: AuthInterop {
  let currentUserID: String? = nil
  func token(forcingRefresh: Bool) async throws -> String? { nil }
  var stateChanges: AsyncStream<AuthState> { AsyncStream { $0.finish() } }
}

let container = try! ComponentContainer {}

func fetchToken() async throws -> String { "token" }
