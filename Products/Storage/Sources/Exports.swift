// Types of Storage's API that other modules declare. An app couldn't name their members otherwise without
// another import.
@_exported public import enum TenonAdminInterop.Authority
@_exported public import struct TenonFoundation.OperationProgress
@_exported public import struct TenonTransportInterop.HTTPTimeouts
