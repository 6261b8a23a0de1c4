// What both kinds of sources do alike: the greeting and the answers.
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

void cps_source_forget_greeting(CpsViewSource* source) {
  for (int32_t i = 0; i < source->greeting_count; ++i) cps_packet_release(source->greeting[i]);
  free(source->greeting);
  source->greeting = NULL;
  source->greeting_count = 0;
}

static bool add_greeting(CpsViewSource* source, CpsBuffer* buffer, CpsPacketKind kind) {
  CpsPacket* packet = cps_packet_create(buffer, kind);
  if (packet) source->greeting[source->greeting_count++] = packet;
  return packet != NULL;
}

static CpsStatus greet_with_meshes(CpsViewSource* source, const CpsThings* things, const int32_t* mesh_of_part,
                                   CpsError* error) {
  int32_t next = 0;
  for (int32_t i = 0; i < things->part_count; ++i) {
    if (mesh_of_part[i] != next) continue;
    CpsBuffer buffer = {0};
    CpsStatus status = cps_stream_mesh(&buffer, &things->parts[i].shape, next++, error);
    if (status == CPS_OK && !add_greeting(source, &buffer, CPS_PACKET_BINARY)) {
      status = cps_fail(error, CPS_NO_MEMORY, "no memory for the meshes");
    }
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_source_greet(CpsViewSource* source, const CpsThings* things, CpsSceneFacts* facts, CpsError* error) {
  int32_t* mesh_of_part = malloc(((size_t)things->part_count + 1) * sizeof *mesh_of_part);
  int32_t meshes = mesh_of_part ? cps_stream_meshes(things, mesh_of_part) : 0;
  source->greeting = calloc((size_t)meshes + 2, sizeof(CpsPacket*));
  CpsStatus status = CPS_NO_MEMORY;
  if (mesh_of_part && source->greeting) {
    CpsBuffer scene = {0};
    facts->mesh_of_part = mesh_of_part;
    cps_stream_scene(&scene, things, facts);
    if (add_greeting(source, &scene, CPS_PACKET_TEXT)) status = CPS_OK;
  }
  if (status == CPS_OK && things->triangle_count > 0) {
    CpsBuffer sheets = {0};
    cps_stream_sheets(&sheets, things);
    if (!add_greeting(source, &sheets, CPS_PACKET_BINARY)) status = CPS_NO_MEMORY;
  }
  if (status == CPS_OK) {
    status = greet_with_meshes(source, things, mesh_of_part, error);
  } else {
    cps_fail(error, status, "no memory for the scene");
  }
  free(mesh_of_part);
  return status;
}
