import TenonStore
import TenonStoreCombine

let store = try! Store.store()
