// What TenonCore uses of this layer is a separate module, so that a program on Core alone links nothing else
// of it. A file that imports this module sees both, and Foundation.
@_exported public import TenonBasics
