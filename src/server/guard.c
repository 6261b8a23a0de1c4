#define _DEFAULT_SOURCE  // getentropy
#include "server/guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/error.h"

CpsStatus cps_token_create(char token[CPS_TOKEN_LENGTH + 1], CpsError* error) {
  unsigned char bytes[CPS_TOKEN_LENGTH / 2];
  if (getentropy(bytes, sizeof bytes) != 0) {
    return cps_fail(error, CPS_UNSUPPORTED, "the operating system provides no random numbers for the token");
  }
  for (size_t i = 0; i < sizeof bytes; ++i) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return CPS_OK;
}

bool cps_token_equal(const char* token, const char* given) {
  if (!given || strlen(given) != CPS_TOKEN_LENGTH) return false;
  volatile unsigned char difference = 0;
  for (int i = 0; i < CPS_TOKEN_LENGTH; ++i) difference |= (unsigned char)(token[i] ^ given[i]);
  return difference == 0;
}

bool cps_address_is_wildcard(const char* address) {
  return strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
}

// Whether `host` is `name`, optionally followed by a colon and digits.
static bool names(const char* host, const char* name) {
  size_t length = strlen(name);
  if (strncasecmp(host, name, length) != 0) return false;
  if (host[length] == '\0') return true;
  const char* port = host + length + 1;
  return host[length] == ':' && *port && strspn(port, "0123456789") == strlen(port);
}

bool cps_host_allowed(const char* host, const char* address) {
  if (!host || !*host) return false;
  if (cps_address_is_wildcard(address)) return true;
  char bracketed[64];
  snprintf(bracketed, sizeof bracketed, strchr(address, ':') ? "[%s]" : "%s", address);
  return names(host, bracketed) || names(host, "localhost");
}

bool cps_origin_allowed(const char* origin, const char* host) {
  static const char SCHEME[] = "http://";
  size_t length = sizeof SCHEME - 1;
  return host && strncasecmp(origin, SCHEME, length) == 0 && strcasecmp(origin + length, host) == 0;
}

CpsRate cps_rate_full(double now) {
  return (CpsRate){.drops = CPS_RATE_BURST, .time = now};
}

bool cps_rate_take(CpsRate* rate, double now) {
  rate->drops += CPS_RATE_PER_SECOND * (now - rate->time);
  rate->time = now;
  if (rate->drops > CPS_RATE_BURST) rate->drops = CPS_RATE_BURST;
  if (rate->drops < 1.0) return false;
  rate->drops -= 1.0;
  return true;
}
