// Who imports TenonStore writes values, paths and fields: the vocabulary comes with it.
@_exported public import TenonDocuments
@_exported public import TenonStoreInterop
