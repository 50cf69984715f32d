// The requirements of `StoreRemote` take and return values. Whoever implements or calls them needs the
// members of these values, too, which are visible only in files that import the module that declares them.
@_exported public import TenonValues
