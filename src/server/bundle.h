// The viewer's page as bytes inside the library. A build with Node makes the file that defines it from web/
// (cmake/web.cmake); any other build has bundle_none.c.
#ifndef CAPSTAN_SERVER_BUNDLE_H
#define CAPSTAN_SERVER_BUNDLE_H

#include <stddef.h>

typedef struct CpsBundleFile {
  const char* path;  // as in the request: "/", "/app.js", "/app.css", "/icon.svg"
  const char* type;  // of its content: "text/html; charset=utf-8"
  const unsigned char* bytes;
  size_t size;
} CpsBundleFile;

extern const CpsBundleFile cps_bundle[];
extern const int cps_bundle_count;  // 0: built without the page

#endif
