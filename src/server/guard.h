// Access control: who may connect, and how fast clients may send.
#ifndef CAPSTAN_SERVER_GUARD_H
#define CAPSTAN_SERVER_GUARD_H

#include "capstan/base.h"

enum { CPS_TOKEN_LENGTH = 32 };  // hexadecimal digits

// A random token from the operating system, zero-terminated.
CpsStatus cps_token_create(char token[CPS_TOKEN_LENGTH + 1], CpsError* error);
// Compares in constant time; `given` may be NULL.
bool cps_token_equal(const char* token, const char* given);

// Whether a Host header names the server: its address or localhost, with any port (a tunnel changes the port). A wildcard address
// accepts any name and leaves the decision to the token.
bool cps_host_allowed(const char* host, const char* address);
// Whether an Origin header matches the page: http:// and the Host header.
bool cps_origin_allowed(const char* origin, const char* host);
// 0.0.0.0 and ::
bool cps_address_is_wildcard(const char* address);

// A token bucket that holds CPS_RATE_BURST and refills at CPS_RATE_PER_SECOND; each message takes one.
enum { CPS_RATE_PER_SECOND = 240, CPS_RATE_BURST = 480 };
typedef struct CpsRate {
  double drops;
  double time;
} CpsRate;
CpsRate cps_rate_full(double now);
// False: the bucket is empty.
bool cps_rate_take(CpsRate* rate, double now);

#endif
