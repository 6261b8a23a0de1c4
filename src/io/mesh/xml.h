// Reads the tags of an XML file one after another. Supports the subset of XML that VTK files use.
#ifndef CAPSTAN_IO_MESH_XML_H
#define CAPSTAN_IO_MESH_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPS_XML_DEPTH = 32, CPS_XML_NAME = 32, CPS_XML_ATTRIBUTES = 24, CPS_XML_VALUE = 80 };

typedef struct CpsXml {
  const char *at, *end;  // *end is zero
  int64_t line;          // from 1
  int depth;
  char open[CPS_XML_DEPTH][CPS_XML_NAME];  // elements that are not closed yet
} CpsXml;

typedef struct CpsXmlTag {
  char name[CPS_XML_NAME];
  bool start, end;  // <name>, </name>; both: <name/>
  int count;        // attributes; those after the last that fits are not kept
  char key[CPS_XML_ATTRIBUTES][CPS_XML_NAME], value[CPS_XML_ATTRIBUTES][CPS_XML_VALUE];  // cut where they are longer
} CpsXmlTag;

typedef enum CpsXmlStep { CPS_XML_TAG, CPS_XML_FINISHED, CPS_XML_BAD } CpsXmlStep;

// The next tag; skips text, comments and declarations before it. CPS_XML_FINISHED after the last element is closed.
CpsXmlStep cps_xml_next(CpsXml* xml, CpsXmlTag* tag);
// Value of an attribute, or "". References (&lt;) stay as they are.
const char* cps_xml_value(const CpsXmlTag* tag, const char* key);

#endif
