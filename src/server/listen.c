// A port is free when listening on it works, and from then on it is held: looking first and taking it afterwards would let two
// servers that start together find the same one. With SO_REUSEADDR, which a restart needs, two may even bind the same port; then
// it is listen() that tells them apart.
#include "server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"

enum { WAITING = 64 };  // connections that the system queues for us

typedef union Place {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
} Place;

static bool read_place(const char* address, Place* place, socklen_t* size) {
  *place = (Place){0};
  bool is_six = strchr(address, ':') != NULL;
  *size = is_six ? sizeof place->six : sizeof place->four;
  place->any.sa_family = is_six ? AF_INET6 : AF_INET;
  return inet_pton(place->any.sa_family, address,
                   is_six ? (void*)&place->six.sin6_addr : (void*)&place->four.sin_addr) == 1;
}

static in_port_t* port_of(Place* place) {
  return place->any.sa_family == AF_INET6 ? &place->six.sin6_port : &place->four.sin_port;
}

// The error number, 0 on success.
static int try_port(Place* place, socklen_t size, int* file) {
  *file = socket(place->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (*file < 0) return errno;
  int on = 1;
  setsockopt(*file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(*file, &place->any, size) == 0 && listen(*file, WAITING) == 0) return 0;
  int reason = errno;
  close(*file);
  *file = -1;
  return reason;
}

CpsStatus cps_listen(const char* address, int32_t* port, int32_t ports, int* file, CpsError* error) {
  Place place;
  socklen_t size;
  if (!read_place(address, &place, &size)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "'%.60s' is not a numeric address", address);
  }
  int reason = EADDRINUSE;
  for (int32_t i = 0; i < ports && reason == EADDRINUSE; ++i) {
    *port += i > 0;
    *port_of(&place) = htons((uint16_t)*port);
    reason = try_port(&place, size, file);
  }
  if (reason == EADDRINUSE) return cps_fail(error, CPS_BAD_ARGUMENT, "port %d is in use", (int)*port);
  if (reason) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cannot listen on %s port %d: %s", address, (int)*port, strerror(reason));
  }
  if (getsockname(*file, &place.any, &size) == 0) *port = ntohs(*port_of(&place));
  return CPS_OK;
}
