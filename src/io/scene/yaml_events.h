// A YAML text as a sequence of events. yaml_parse.c builds a tree from them. The events come from yaml_libyaml.c or, in the browser, from
// src/browser/yaml_page.c.
#ifndef CAPSTAN_IO_SCENE_YAML_EVENTS_H
#define CAPSTAN_IO_SCENE_YAML_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CpsYamlEventKind {
  CPS_EVENT_SCALAR,
  CPS_EVENT_LIST,      // begins
  CPS_EVENT_MAP,       // begins; keys and values follow in turn
  CPS_EVENT_END,       // of a list or a map
  CPS_EVENT_ALIAS,     // its name is in `anchor`
  CPS_EVENT_DOCUMENT,  // begins
  CPS_EVENT_DONE,      // the text has ended
  CPS_EVENT_OTHER      // nothing that matters
} CpsYamlEventKind;

typedef struct CpsYamlMark {
  size_t index;          // byte; 0 where only lines are known
  int32_t line, column;  // from 1
} CpsYamlMark;

// Texts are valid until the next event is read.
typedef struct CpsYamlEvent {
  CpsYamlEventKind kind;
  CpsYamlMark mark;
  const char* text;    // of a scalar, zero-terminated, otherwise NULL
  size_t length;       // of the text; a zero byte may be among it
  const char* anchor;  // NULL: none
  bool tagged;         // has a tag
  bool plain;          // scalar without quotes
} CpsYamlEvent;

typedef enum CpsYamlFaultKind {
  CPS_FAULT_MEMORY,
  CPS_FAULT_BYTES,  // no text in UTF-8 from `offset` on
  CPS_FAULT_TEXT    // no YAML at `mark`
} CpsYamlFaultKind;

typedef struct CpsYamlFault {
  CpsYamlFaultKind kind;
  CpsYamlMark mark;
  long long offset;
  const char* what;     // a few words, never NULL
  const char* context;  // a few more, "" without
} CpsYamlFault;

typedef struct CpsYamlEvents CpsYamlEvents;

// Starts to read a text, which must outlive the events. NULL: memory runs out.
CpsYamlEvents* cps_yaml_events_open(const char* text, size_t length);
// NULL is allowed.
void cps_yaml_events_close(CpsYamlEvents* events);
// The next event. False: reading failed, and the events have ended; `fault` gives the reason and is valid while the events are open.
bool cps_yaml_events_next(CpsYamlEvents* events, CpsYamlEvent* event, CpsYamlFault* fault);

#endif
