// `Storage.timeouts` has this type, whose members an app couldn't name otherwise without another import.
@_exported public import struct TenonTransportInterop.HTTPTimeouts
