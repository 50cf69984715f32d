// Tests of rules need nothing but this module.
@_exported public import TenonRules
