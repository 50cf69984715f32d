/// How much of the stack the creation of a slot's instance takes if nothing that it needs exists. Computed
/// once for each slot, when the graph is built.
///
/// What a creation needs is created on the stack, inside the creation. For `.unique` components this can't be
/// avoided, so validation limits their chains (`GraphValidation.greatestDepth`). Other instances can be
/// created beforehand (``CurrentThread/createNeeds(of:)``), which is done for *deep* slots: those whose
/// creation would otherwise take ``allowance`` more than the longest chain of `.unique` components. Whatever
/// the graph, a creation therefore takes little more than that chain.
///
/// The unit is the creation of a `.unique` component, which takes `GraphValidation.bytesPerCreation`. No
/// value is more than twice the number of components that need each other in a row, so 32 bits are enough.
@usableFromInline
struct StackUse: Sendable {
  /// What a creation may take in addition to the longest chain. Real graphs rarely take more, so they don't
  /// pay for the search.
  static var allowance: Int { 32 }

  /// What the creation takes if everything exists that can be created beforehand. For a `.unique` component
  /// this is the length of the longest chain that begins with it.
  private(set) var chain: Int32 = 0
  /// The greatest `chain` of the slot and of everything that it needs, directly or indirectly.
  private var longest: Int32 = 0
  /// What the creation takes if it creates everything that it needs, apart from what deep slots create
  /// beforehand.
  private var nested: Int32 = 0

  /// Adds a slot whose instance is created inside the creation. Call it for each of them before
  /// ``add(own:)``.
  mutating func add(_ slot: any AnySlot) {
    let (use, isUnique) = (slot.stackUse, slot.isUnique)
    if isUnique { chain = max(chain, use.chain) }
    longest = max(longest, use.longest)
    // For a `.unique` component, the search is used only if it is requested by itself.
    nested = max(nested, use.isDeep && !isUnique ? use.longest : use.nested)
  }

  /// Adds what the creation itself takes.
  mutating func add(own: Int32) {
    chain += own
    longest = max(longest, chain)
    nested += own
  }

  /// Whether the needs are created beforehand.
  var isDeep: Bool { nested - longest > Self.allowance }
}
