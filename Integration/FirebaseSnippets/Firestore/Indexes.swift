import TenonStore

/// Lets the cache make its indexes.
func indexes() throws {
  // expect: 'persistentCacheIndexManager' is unavailable: Fields are indexed when a query first needs it. To choose, pass StoreSettings(fieldIndexing: …) to Store.store(settings: …).
  if let indexManager = try Store.store().persistentCacheIndexManager {
    indexManager.enableIndexAutoCreation()
    indexManager.disableIndexAutoCreation()
    indexManager.deleteAllIndexes()
  }
}
