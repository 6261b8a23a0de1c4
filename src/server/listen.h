// The listening socket of a server.
#ifndef CAPSTAN_SERVER_LISTEN_H
#define CAPSTAN_SERVER_LISTEN_H

#include "capstan/base.h"

// Listens on the first free port of `ports` ports from *port on; port 0 means any free port. The socket is non-blocking.
// @param[in,out] port  the first port to try; receives the chosen port
// @param[out] file     the socket, closed by the caller
CpsStatus cps_listen(const char* address, int32_t* port, int32_t ports, int* file, CpsError* error);

#endif
