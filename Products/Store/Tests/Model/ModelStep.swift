import TenonTesting

/// A step of a program that is run by the model and by Store.
///
/// Every sequence of steps is a program, so that any step of a program can be dropped: a step that isn't
/// possible, such as cancelling a write while none is queued, does nothing.
enum ModelStep: CustomStringConvertible {
  /// Writes in one batch.
  case write([ModelChange])
  /// Reads documents in a transaction, and writes documents.
  case transaction(reads: [Int], [ModelChange])
  /// Cancels a queued write, by its position.
  case cancel(Int)
  /// Writes of another device, in one batch.
  case others([ModelChange])
  /// The server refuses the batch at a position of the queue when the queue is next sent.
  case refuse(Int)
  /// The server's answer to the batch at a position is lost when the queue is next sent.
  case loseAnswer(Int)
  case offline
  case online
  /// While the device is offline: it is online for a moment, sends what it can, and gets no answer.
  case interrupt
  /// The database is closed and opened again.
  case restart
  /// A user signs in; nobody is signed in as user 0.
  case signIn(Int)
  /// The app dismisses the rejected writes that it sees.
  case dismiss

  static let users = 0..<3

  var description: String {
    func list(_ changes: [ModelChange]) -> String { changes.map(\.description).joined(separator: ", ") }
    switch self {
    case .write(let changes): return "write \(list(changes))"
    case .transaction(let reads, let changes):
      return "transaction reads \(reads.map(ModelChange.id).joined(separator: ", ")), writes \(list(changes))"
    case .cancel(let position): return "cancel \(position)"
    case .others(let changes): return "others write \(list(changes))"
    case .refuse(let position): return "refuse \(position)"
    case .loseAnswer(let position): return "lose answer \(position)"
    case .offline: return "offline"
    case .online: return "online"
    case .interrupt: return "send without answers"
    case .restart: return "restart"
    case .signIn(let user): return user == 0 ? "sign out" : "sign in user \(user)"
    case .dismiss: return "dismiss"
    }
  }
}

// MARK: - Random programs

extension ModelStep {
  /// Returns the program of a seed. It ends with everything sent.
  static func program(seed: UInt64) -> [ModelStep] {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 5...40, using: &random)
    return (0..<count).map { _ in ModelStep.random(using: &random) } + sendingEverything
  }

  /// Steps after which every user's queue has been sent.
  static let sendingEverything: [ModelStep] = [.online, .signIn(1), .signIn(2), .signIn(0)]

  private static func random(using random: inout SeededGenerator) -> ModelStep {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<28: .write(changes(atMost: 3, using: &random))
    case 28..<44:
      .transaction(
        reads: documents(Int.random(in: 1...2, using: &random), using: &random),
        changes(atMost: 2, using: &random))
    case 44..<52: .cancel(Int.random(in: 0..<4, using: &random))
    case 52..<62: .others(changes(atMost: 2, using: &random))
    case 62..<65: .refuse(Int.random(in: 0..<3, using: &random))
    case 65..<68: .loseAnswer(Int.random(in: 0..<3, using: &random))
    case 68..<78: .offline
    case 78..<81: .online
    case 81..<84: .interrupt
    case 84..<88: .restart
    case 88..<98: .signIn(users.randomElement(using: &random)!)
    default: .dismiss
    }
  }

  private static func documents(_ count: Int, using random: inout SeededGenerator) -> [Int] {
    Array(ModelChange.documents.shuffled(using: &random).prefix(count))
  }

  /// Returns writes to different documents; see ``KnownDefects``.
  private static func changes(
    atMost count: Int, using random: inout SeededGenerator
  ) -> [ModelChange] {
    documents(Int.random(in: 1...count, using: &random), using: &random).map { document in
      let number = Int.random(in: 1...9, using: &random)
      let kind: ModelChange.Kind =
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<2: .set(s: number, n: Bool.random(using: &random) ? 10 * number : nil)
        case 2..<4: .merge(number)
        case 4..<6: .update(number)
        case 6: .create(number)
        case 7..<9: .delete
        case 9..<12: .increment(number)
        case 12: .union(number % 3)
        default: .remove(number % 3)
        }
      return ModelChange(document: document, kind: kind)
    }
  }
}
