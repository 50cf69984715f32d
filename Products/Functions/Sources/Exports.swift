// Types of the API of Functions that other modules declare. An app couldn't name their members otherwise without
// another import.
@_exported public import enum TenonAdminInterop.Authority
@_exported public import struct TenonTransportInterop.HTTPTimeouts
