// TenonStore's functions take and return values (`Value`, `Fields`, `Timestamp`, `FieldPath`, …). With
// `MemberImportVisibility`, which the next language mode enables, the members of a type are visible only in
// files that import the module that declares them, so that a file with `import TenonStore` alone couldn't
// read `document.fields?["title"]?.stringValue` or call `Timestamp(seconds:)`: a type alias makes the type's
// name visible, but not its members. Re-exporting is the only way to avoid one more import in every file of
// an app.
@_exported public import TenonValues

// On whose authority a database is used.
@_exported public import enum TenonAdminInterop.Authority
// The progress of a backup.
@_exported public import struct TenonFoundation.OperationProgress
