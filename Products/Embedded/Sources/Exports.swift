// Documents of the backend, and the requests that its closures decide, consist of values, whose members are
// visible only in files that import the module that declares them; see Exports.swift of TenonStore.
@_exported public import TenonValues
