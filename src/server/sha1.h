// SHA-1, as required by the opening handshake of a WebSocket (RFC 6455 section 4.2.2). It provides no security there; do not use it where
// security matters.
#ifndef CAPSTAN_SERVER_SHA1_H
#define CAPSTAN_SERVER_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { CPS_SHA1_SIZE = 20, CPS_SHA1_MOST = 119 };  // at most CPS_SHA1_MOST bytes are hashed: two blocks

void cps_sha1(const void* bytes, size_t size, unsigned char digest[CPS_SHA1_SIZE]);

#endif
