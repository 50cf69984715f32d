// `Auth.timeouts` has this type, whose members an app could not name otherwise without another import.
@_exported public import struct TenonTransportInterop.HTTPTimeouts
