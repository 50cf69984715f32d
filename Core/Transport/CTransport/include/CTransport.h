// The system libraries of Linux that the transport uses, libcurl and zlib. Both are loaded at the first request.
#ifndef TENON_CTRANSPORT_H
#define TENON_CTRANSPORT_H

#include "tenon_curl.h"
#include "tenon_inflate.h"

#endif
