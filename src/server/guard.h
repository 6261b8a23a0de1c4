// Who may connect and how fast they may talk.
#ifndef CAPSTAN_SERVER_GUARD_H
#define CAPSTAN_SERVER_GUARD_H

#include "capstan/base.h"

enum { CPS_TOKEN_LENGTH = 32 };  // hexadecimal digits

// A random token from the operating system, with its end.
CpsStatus cps_token_create(char token[CPS_TOKEN_LENGTH + 1], CpsError* error);
// Compares in a time that does not depend on where they differ; `given` may be NULL.
bool cps_token_equal(const char* token, const char* given);

// Whether a Host header names the server: the address listened on or localhost, with any port (the way through a tunnel
// has another one). A wildcard address has any name, and the token decides.
bool cps_host_allowed(const char* host, const char* address);
// Whether an Origin header is the page's own: http:// and the Host header.
bool cps_origin_allowed(const char* origin, const char* host);
// 0.0.0.0 and ::
bool cps_address_is_wildcard(const char* address);

// A bucket that holds CPS_RATE_BURST drops and fills at CPS_RATE_PER_SECOND; each message takes one.
enum { CPS_RATE_PER_SECOND = 240, CPS_RATE_BURST = 480 };
typedef struct CpsRate {
  double drops;
  double time;
} CpsRate;
CpsRate cps_rate_full(double now);
// False: the bucket is empty.
bool cps_rate_take(CpsRate* rate, double now);

#endif
