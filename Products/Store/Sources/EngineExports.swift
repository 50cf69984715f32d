// The engine's declarations that users see: the error, the settings, and the results. They are exported by
// name, so that nothing else of the engine is visible.

@_exported public import struct TenonStoreEngine.BackupSummary
@_exported public import struct TenonStoreEngine.CollectionSize
@_exported public import struct TenonStoreEngine.CompositeIndex
@_exported public import struct TenonStoreEngine.EncryptionKey
@_exported public import struct TenonStoreEngine.EvictionResult
@_exported public import enum TenonStoreEngine.FieldIndexing
@_exported public import struct TenonStoreEngine.FieldOverride
@_exported public import struct TenonStoreEngine.IndexProgress
@_exported public import struct TenonStoreEngine.PendingWrites
@_exported public import struct TenonStoreEngine.QueryExplanation
@_exported public import struct TenonStoreEngine.QueuedWrite
@_exported public import struct TenonStoreEngine.RecoveredDocuments
@_exported public import struct TenonStoreEngine.RejectedWrite
@_exported public import struct TenonStoreEngine.StoreError
@_exported public import struct TenonStoreEngine.StoreSettings
@_exported public import struct TenonStoreEngine.TextIndex
@_exported public import class TenonStoreEngine.WriteConfirmation
