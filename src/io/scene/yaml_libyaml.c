// Events of a YAML text by the parser of libyaml.
#include <stdlib.h>
#include <yaml.h>

#include "io/scene/yaml_events.h"

struct CpsYamlEvents {
  yaml_parser_t parser;
  yaml_event_t event;  // current event
  bool any;
};

CpsYamlEvents* cps_yaml_events_open(const char* text, size_t length) {
  CpsYamlEvents* events = calloc(1, sizeof *events);
  if (!events) return NULL;
  if (!yaml_parser_initialize(&events->parser)) {
    free(events);
    return NULL;
  }
  yaml_parser_set_encoding(&events->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&events->parser, (const unsigned char*)text, length);
  return events;
}

void cps_yaml_events_close(CpsYamlEvents* events) {
  if (!events) return;
  if (events->any) yaml_event_delete(&events->event);
  yaml_parser_delete(&events->parser);
  free(events);
}

static CpsYamlMark mark_of(yaml_mark_t mark) {
  return (CpsYamlMark){mark.index, (int32_t)mark.line + 1, (int32_t)mark.column + 1};
}

static CpsYamlFault fault_of(const yaml_parser_t* parser) {
  CpsYamlFault fault = {.kind = CPS_FAULT_TEXT,
                        .mark = mark_of(parser->problem_mark),
                        .offset = (long long)parser->problem_offset,
                        .what = parser->problem ? parser->problem : "unreadable",
                        .context = parser->context ? parser->context : ""};
  if (parser->error == YAML_MEMORY_ERROR) fault.kind = CPS_FAULT_MEMORY;
  if (parser->error == YAML_READER_ERROR) fault.kind = CPS_FAULT_BYTES;
  return fault;
}

static CpsYamlEvent translate(const yaml_event_t* from) {
  CpsYamlEvent event = {.kind = CPS_EVENT_OTHER, .mark = mark_of(from->start_mark)};
  switch (from->type) {
    case YAML_SCALAR_EVENT:
      event.kind = CPS_EVENT_SCALAR;
      event.text = (const char*)from->data.scalar.value;
      event.length = from->data.scalar.length;
      event.plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
      event.anchor = (const char*)from->data.scalar.anchor;
      event.tagged = from->data.scalar.tag != NULL;
      break;
    case YAML_SEQUENCE_START_EVENT:
      event.kind = CPS_EVENT_LIST;
      event.anchor = (const char*)from->data.sequence_start.anchor;
      event.tagged = from->data.sequence_start.tag != NULL;
      break;
    case YAML_MAPPING_START_EVENT:
      event.kind = CPS_EVENT_MAP;
      event.anchor = (const char*)from->data.mapping_start.anchor;
      event.tagged = from->data.mapping_start.tag != NULL;
      break;
    case YAML_ALIAS_EVENT:
      event.kind = CPS_EVENT_ALIAS;
      event.anchor = (const char*)from->data.alias.anchor;
      break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      event.kind = CPS_EVENT_END;
      break;
    case YAML_DOCUMENT_START_EVENT:
      event.kind = CPS_EVENT_DOCUMENT;
      break;
    case YAML_STREAM_END_EVENT:
      event.kind = CPS_EVENT_DONE;
      break;
    default:
      break;
  }
  return event;
}

bool cps_yaml_events_next(CpsYamlEvents* events, CpsYamlEvent* event, CpsYamlFault* fault) {
  if (events->any) yaml_event_delete(&events->event);
  events->any = yaml_parser_parse(&events->parser, &events->event) != 0;
  if (events->any) {
    *event = translate(&events->event);
  } else {
    *fault = fault_of(&events->parser);
  }
  return events->any;
}
