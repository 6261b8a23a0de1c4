// The socket that a server listens on.
#ifndef CAPSTAN_SERVER_LISTEN_H
#define CAPSTAN_SERVER_LISTEN_H

#include "capstan/base.h"

// Listens on the first port from *port on that is free, of `ports`; port 0 is any free one. The socket does not block.
// @param[in,out] port  the first to try; the one that was taken
// @param[out] file     the socket, to be closed by the caller
CpsStatus cps_listen(const char* address, int32_t* port, int32_t ports, int* file, CpsError* error);

#endif
