#include "io/mesh/xml.h"

#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(CpsXml* xml) {
  for (; xml->at < xml->end && is_blank(*xml->at); ++xml->at) xml->line += *xml->at == '\n';
}

// Skips past the next `mark`; false if there is none.
static bool skip_past(CpsXml* xml, const char* mark) {
  const size_t length = strlen(mark);
  for (; (size_t)(xml->end - xml->at) >= length; ++xml->at) {
    if (memcmp(xml->at, mark, length) == 0) {
      xml->at += length;
      return true;
    }
    xml->line += *xml->at == '\n';
  }
  return false;
}

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == ':' || c == '.';
}

static bool read_name(CpsXml* xml, char name[CPS_XML_NAME]) {
  size_t length = 0;
  for (; xml->at < xml->end && is_name(*xml->at); ++xml->at) {
    if (length + 1 < CPS_XML_NAME) name[length++] = *xml->at;
  }
  name[length] = '\0';
  return length > 0;
}

// key="value" or key='value'
static bool read_attribute(CpsXml* xml, CpsXmlTag* tag) {
  char key[CPS_XML_NAME], value[CPS_XML_VALUE];
  if (!read_name(xml, key)) return false;
  skip_blanks(xml);
  if (*xml->at != '=') return false;
  xml->at++;
  skip_blanks(xml);
  const char quote = *xml->at;
  if (quote != '"' && quote != '\'') return false;
  size_t length = 0;
  for (xml->at++; xml->at < xml->end && *xml->at != quote; ++xml->at) {
    if (*xml->at == '<') return false;
    xml->line += *xml->at == '\n';
    if (length + 1 < CPS_XML_VALUE) value[length++] = *xml->at;
  }
  if (xml->at == xml->end) return false;
  xml->at++;
  value[length] = '\0';
  if (tag->count == CPS_XML_ATTRIBUTES) return true;
  memcpy(tag->key[tag->count], key, sizeof key);
  memcpy(tag->value[tag->count++], value, length + 1);
  return true;
}

// Checks that elements are closed in the reverse order of their opening.
static bool follow(CpsXml* xml, const CpsXmlTag* tag) {
  if (tag->start && tag->end) return true;
  if (tag->start) {
    if (xml->depth == CPS_XML_DEPTH) return false;
    memcpy(xml->open[xml->depth++], tag->name, CPS_XML_NAME);
    return true;
  }
  return xml->depth > 0 && strcmp(xml->open[--xml->depth], tag->name) == 0;
}

static bool read_tag(CpsXml* xml, CpsXmlTag* tag) {
  tag->count = 0;
  tag->start = *xml->at != '/';
  tag->end = !tag->start;
  if (tag->end) xml->at++;
  if (!read_name(xml, tag->name)) return false;
  for (skip_blanks(xml); xml->at < xml->end && *xml->at != '>' && *xml->at != '/'; skip_blanks(xml)) {
    if (!tag->start || !read_attribute(xml, tag)) return false;
  }
  if (*xml->at == '/') {
    tag->end = true;
    xml->at++;
  }
  if (xml->at >= xml->end || *xml->at != '>') return false;
  xml->at++;
  return follow(xml, tag);
}

CpsXmlStep cps_xml_next(CpsXml* xml, CpsXmlTag* tag) {
  for (;;) {
    const bool nested = xml->depth > 0;
    const char* from = xml->at;
    if (!skip_past(xml, "<")) {
      xml->at = from;
      return nested ? CPS_XML_BAD : CPS_XML_FINISHED;
    }
    if (*xml->at == '?') {
      if (!skip_past(xml, "?>")) return CPS_XML_BAD;
    } else if (strncmp(xml->at, "!--", 3) == 0) {
      if (!skip_past(xml, "-->")) return CPS_XML_BAD;
    } else if (*xml->at == '!') {
      if (!skip_past(xml, ">")) return CPS_XML_BAD;
    } else {
      return read_tag(xml, tag) ? CPS_XML_TAG : CPS_XML_BAD;
    }
  }
}

const char* cps_xml_value(const CpsXmlTag* tag, const char* key) {
  for (int i = 0; i < tag->count; ++i) {
    if (strcmp(tag->key[i], key) == 0) return tag->value[i];
  }
  return "";
}
