// Live scenes in a web page (page.c explains their use). JavaScript calls these and can pass only numbers.
#ifndef CAPSTAN_BROWSER_PAGE_H
#define CAPSTAN_BROWSER_PAGE_H

typedef struct CpsPage CpsPage;

// Opens a scene, which is paused. NULL: `text` says why not.
CpsPage* cps_page_open(const char* path, char* text, int size);
// NULL is allowed.
void cps_page_close(CpsPage* page);
// A message of the page, at most 4096 bytes.
void cps_page_receive(CpsPage* page, const char* text, int length);
// Carries out the orders, makes a step if one is due.
// @return seconds until the next step is due, 0: now; negative: the simulation is paused
double cps_page_turn(CpsPage* page);
// The next message to the page: 0 a text, 1 binary, -1 none. It is valid until the next call.
int cps_page_next(CpsPage* page);
const unsigned char* cps_page_bytes(CpsPage* page);
int cps_page_size(CpsPage* page);
// Why the conversation has ended: a message was wrong; "" while it continues.
const char* cps_page_closed(const CpsPage* page);

#endif
