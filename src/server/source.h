// The source of a server's frames and answers: a result played back, or a running simulation. A source works on its own thread and
// posts to the outbox; the serving thread never waits for it.
#ifndef CAPSTAN_SERVER_SOURCE_H
#define CAPSTAN_SERVER_SOURCE_H

#include "capstan/view.h"
#include "server/message.h"
#include "server/packet.h"
#include "server/stream.h"

enum { CPS_SOURCE_MESSAGES = 512 };  // requests that wait at a source

// A message of a client, with the server's data about the client.
typedef struct CpsRequest {
  uint64_t client;
  unsigned wants;  // contents of its frames
  int64_t shown;   // the frame that it was sent last, -1: none
  CpsMessage message;
} CpsRequest;

// The first packets for each client: the scene, then its meshes. A client that is receiving a greeting keeps it. The serving thread
// counts references.
typedef struct CpsGreeting {
  int32_t references, count;
  CpsPacket** packets;
} CpsGreeting;

typedef struct CpsViewSource CpsViewSource;
// The serving thread calls all functions.
struct CpsViewSource {
  bool live;
  CpsGreeting* greeting;  // another one: all clients get it, before anything else
  // Hands a request over; its answer is posted later. False: too many requests are waiting.
  bool (*ask)(CpsViewSource* source, const CpsRequest* request);
  // A client came, or went.
  void (*meet)(CpsViewSource* source, uint64_t client);
  void (*leave)(CpsViewSource* source, uint64_t client);
  // Live only. Posts what there is to tell and, if wanted, looks at the newest frame. Frames are numbered by `serial` as they
  // are examined; 0: none was yet.
  void (*refresh)(CpsViewSource* source, bool frame);
  uint64_t serial;
  // That frame with the requested parts, and the status for one client; NULL without memory. The frame belongs to the
  // source, the status to the caller.
  CpsPacket* (*frame)(CpsViewSource* source, unsigned wants);
  CpsPacket* (*status)(CpsViewSource* source, uint64_t client);
  // Live and without a thread only: as cps_live_turn().
  double (*turn)(CpsViewSource* source);
  // Ends the thread: nothing is posted any longer.
  void (*stop)(CpsViewSource* source);
  void (*destroy)(CpsViewSource* source);
};

// A result, read by a worker thread.
CpsStatus cps_playback_create(const char* path, CpsOutbox* outbox, CpsViewSource** source, CpsError* error);
// A scene, simulated by its own thread.
CpsStatus cps_live_source_create(const char* path, const CpsViewOptions* options, CpsOutbox* outbox,
                                 CpsViewSource** source, CpsError* error);
// The same without a thread: the serving loop calls turn().
CpsStatus cps_live_source_open(const char* path, const CpsViewOptions* options, CpsOutbox* outbox,
                               CpsViewSource** source, CpsError* error);

// Replaces the greeting by a new scene and its meshes, as packets.
CpsStatus cps_source_greet(CpsViewSource* source, const CpsThings* things, CpsSceneFacts* facts, CpsError* error);
void cps_source_forget_greeting(CpsViewSource* source);
void cps_greeting_release(CpsGreeting* greeting);  // NULL is allowed
// Posts the answer to a request.
void cps_source_answer(CpsOutbox* outbox, const CpsRequest* request, CpsBuffer* buffer, CpsPacketKind kind);
// The name of a file without its directory.
const char* cps_source_file_name(const char* path);

#endif
