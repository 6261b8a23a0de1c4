// Events of a YAML text in a web page: libyaml is not there, the page's own parser is (web/src/browser/yaml.ts). It is called once for a
// text and leaves all events in one block of memory:
//
//   u32 kind (CpsYamlEventKind; 100: it cannot be read, the text says why), u32 line, u32 column, u32 1 plain | 2 tagged,
//   u32 length of the anchor + 1 (0: none), u32 length of the text + 1 (0: none), both zero-terminated, padded to 4 bytes
#include <stdlib.h>
#include <string.h>

#include "browser/host.h"
#include "io/scene/yaml_events.h"

enum { FAULT = 100, HEAD = 24 };

struct CpsYamlEvents {
  unsigned char* block;
  const unsigned char* at;
  CpsYamlFault fault;
};

CpsYamlEvents* cps_yaml_events_open(const char* text, size_t length) {
  CpsYamlEvents* events = calloc(1, sizeof *events);
  if (!events) return NULL;
  events->at = events->block = cps_host_yaml(text, (int)length);
  if (events->block) return events;
  free(events);
  return NULL;
}

void cps_yaml_events_close(CpsYamlEvents* events) {
  if (!events) return;
  free(events->block);
  free(events);
}

bool cps_yaml_events_next(CpsYamlEvents* events, CpsYamlEvent* event, CpsYamlFault* fault) {
  uint32_t head[HEAD / 4];
  memcpy(head, events->at, HEAD);
  const char *anchor = (const char*)events->at + HEAD, *text = anchor + head[4];
  const CpsYamlMark mark = {0, (int32_t)head[1], (int32_t)head[2]};
  if (head[0] == FAULT) {
    *fault = (CpsYamlFault){.kind = CPS_FAULT_TEXT, .mark = mark, .what = text, .context = ""};
    return false;
  }
  *event = (CpsYamlEvent){.kind = (CpsYamlEventKind)head[0],
                          .mark = mark,
                          .text = head[5] > 0 ? text : NULL,
                          .length = head[5] > 0 ? head[5] - 1 : 0,
                          .anchor = head[4] > 0 ? anchor : NULL,
                          .tagged = (head[3] & 2u) != 0,
                          .plain = (head[3] & 1u) != 0};
  events->at += HEAD + (head[4] + head[5] + 3u) / 4u * 4u;
  return true;
}
