// TenonStore's functions take and return the values of TenonStoreInterop (`Value`, `Fields`, `Timestamp`, `FieldPath`, …), whose
// accessors and literals are in TenonDocuments. With `MemberImportVisibility`, which the next language mode enables, the members
// of a type are visible only in files that import the module declaring them, so that a file with `import TenonStore` alone couldn't
// read `document["title"]?.stringValue` or call `Timestamp(seconds:)`: a type alias makes the type's name visible, but not
// its members. Re-exporting is the only way to avoid two more imports in every file of an app.
@_exported public import TenonDocuments
@_exported public import TenonStoreInterop
