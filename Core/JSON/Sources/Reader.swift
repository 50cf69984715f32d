// The value and its parser are a separate module, because TenonCore reads files of options with it and uses
// nothing else of this one.
@_exported public import TenonJSONReader
