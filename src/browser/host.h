// Functions of the page for the library, in JavaScript (web/src/browser/host.js).
#ifndef CAPSTAN_BROWSER_HOST_H
#define CAPSTAN_BROWSER_HOST_H

// The events of a YAML text, as yaml_page.c describes them, in memory to be freed; NULL: memory runs out.
unsigned char* cps_host_yaml(const char* text, int length);

#endif
