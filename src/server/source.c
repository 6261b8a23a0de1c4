// Common to both kinds of sources: the greeting and the answers.
#include "server/source.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

const char* cps_source_file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void cps_source_answer(CpsOutbox* outbox, const CpsRequest* request, CpsBuffer* buffer, CpsPacketKind kind) {
  CpsPacket* packet = cps_packet_create(buffer, kind);
  if (packet) {
    packet->role = request->message.type == CPS_MESSAGE_FRAME ? CPS_ROLE_FRAME : CPS_ROLE_ANSWER;
    packet->index = request->message.index;
  }
  cps_outbox_post(outbox, request->client, packet);
}

void cps_greeting_release(CpsGreeting* greeting) {
  if (!greeting || --greeting->references > 0) return;
  for (int32_t i = 0; i < greeting->count; ++i) cps_packet_release(greeting->packets[i]);
  free(greeting->packets);
  free(greeting);
}

void cps_source_forget_greeting(CpsViewSource* source) {
  cps_greeting_release(source->greeting);
  source->greeting = NULL;
}

static bool add_greeting(CpsGreeting* greeting, CpsBuffer* buffer, CpsPacketKind kind) {
  CpsPacket* packet = cps_packet_create(buffer, kind);
  if (packet) greeting->packets[greeting->count++] = packet;
  return packet != NULL;
}

static CpsStatus greet_with_meshes(CpsGreeting* greeting, const CpsThings* things, const int32_t* mesh_of_part,
                                   CpsError* error) {
  int32_t next = 0;
  for (int32_t i = 0; i < things->part_count; ++i) {
    if (mesh_of_part[i] != next) continue;
    CpsBuffer buffer = {0};
    CpsStatus status = cps_stream_mesh(&buffer, &things->parts[i].shape, next++, error);
    if (status == CPS_OK && !add_greeting(greeting, &buffer, CPS_PACKET_BINARY)) {
      status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for the meshes");
    }
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_source_greet(CpsViewSource* source, const CpsThings* things, CpsSceneFacts* facts, CpsError* error) {
  int32_t* mesh_of_part = malloc(((size_t)things->part_count + 1) * sizeof *mesh_of_part);
  int32_t meshes = mesh_of_part ? cps_stream_meshes(things, mesh_of_part) : 0;
  CpsGreeting* greeting = calloc(1, sizeof *greeting);
  if (greeting) *greeting = (CpsGreeting){.references = 1, .packets = calloc((size_t)meshes + 2, sizeof(CpsPacket*))};
  CpsStatus status = CPS_NO_MEMORY;
  if (mesh_of_part && greeting && greeting->packets) {
    CpsBuffer scene = {0};
    facts->mesh_of_part = mesh_of_part;
    cps_stream_scene(&scene, things, facts);
    if (add_greeting(greeting, &scene, CPS_PACKET_TEXT)) status = CPS_OK;
  }
  if (status == CPS_OK && things->triangle_count > 0) {
    CpsBuffer sheets = {0};
    cps_stream_sheets(&sheets, things);
    if (!add_greeting(greeting, &sheets, CPS_PACKET_BINARY)) status = CPS_NO_MEMORY;
  }
  if (status == CPS_OK) {
    status = greet_with_meshes(greeting, things, mesh_of_part, error);
  } else {
    cps_fail(error, status, "not enough memory for the scene");
  }
  free(mesh_of_part);
  if (status != CPS_OK) {
    cps_greeting_release(greeting);
    return status;
  }
  cps_source_forget_greeting(source);
  source->greeting = greeting;
  return CPS_OK;
}
