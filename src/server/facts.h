// The data of one object at one instant, as pairs of texts with units: the answer to `pick`.
#ifndef CAPSTAN_SERVER_FACTS_H
#define CAPSTAN_SERVER_FACTS_H

#include "server/message.h"
#include "server/stream.h"

// Begins the message {"type": "object", …, "facts": [ … with the facts of things and frame. More facts can be added before its end.
// @return false if the object does not exist
bool cps_facts_begin(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, CpsThingKind kind, int64_t index);
// Adds a fact: a text, or a number with its unit ("" for none); skips unknown numbers.
void cps_facts_text(CpsBuffer* out, const char* name, const char* text);
void cps_facts_number(CpsBuffer* out, const char* name, double value, const char* unit);
void cps_facts_end(CpsBuffer* out);

#endif
