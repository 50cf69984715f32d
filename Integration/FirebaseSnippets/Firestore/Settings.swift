import Foundation
import TenonStore

/// The cache on the disk, under Firebase's names.
func settings() {
  // expect: 'FirestoreSettings' has been renamed to 'StoreSettings': It is a value that is passed to Store.store(settings: …), before the database is used.
  let settings = FirestoreSettings()
  // expect: 'cacheSettings' is unavailable: Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, data: .memory) keeps them in memory. The size is garbageCollection: .leastRecentlyUsed(threshold: …).
  // expect: 'PersistentCacheSettings' is unavailable: Documents are on the disk by default. The size is StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …)).
  settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024 as NSNumber)
  // expect: 'cacheSettings' is unavailable: Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, data: .memory) keeps them in memory. The size is garbageCollection: .leastRecentlyUsed(threshold: …).
  // expect: 'MemoryCacheSettings' is unavailable: Documents are kept in memory by an option of the app: AppOptions(projectID: …, data: .memory).
  // expect: 'MemoryLRUGCSettings' is unavailable: Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …)) to Store.store(settings: …).
  settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings())
  // expect: 'isPersistenceEnabled' is unavailable: Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, data: .memory) keeps them in memory.
  settings.isPersistenceEnabled = true
  // expect: 'cacheSizeBytes' is unavailable: Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …)) to Store.store(settings: …).
  // expect: 'FirestoreCacheSizeUnlimited' is unavailable: Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: nil)) to Store.store(settings: …).
  settings.cacheSizeBytes = FirestoreCacheSizeUnlimited
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'firestore()' has been renamed to 'store()'
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  let db = Firestore.firestore()
  // expect: 'settings' is unavailable: Settings are passed where the database is opened: try Store.store(settings: settings).
  db.settings = settings
}
