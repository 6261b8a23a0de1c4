// Where a server's frames and answers come from: a result that is played back, or a simulation that runs. A source works
// on a thread of its own and leaves what it has in the outbox; the serving thread never waits for it.
#ifndef CAPSTAN_VIEW_SOURCE_H
#define CAPSTAN_VIEW_SOURCE_H

#include "view/message.h"
#include "view/packet.h"
#include "view/stream.h"

enum { CPS_SOURCE_MESSAGES = 512 };  // requests that wait at a source

// A message of a client, and what the server knows about it.
typedef struct CpsRequest {
  uint64_t client;
  unsigned wants;  // what its frames hold
  int64_t shown;   // the frame that it was sent last, -1: none
  CpsMessage message;
} CpsRequest;

typedef struct CpsViewSource CpsViewSource;
struct CpsViewSource {
  bool live;
  CpsPacket** greeting;  // what each client gets first: the scene, then its meshes
  int32_t greeting_count;
  // Starts the thread; from now on it posts.
  CpsStatus (*start)(CpsViewSource* source, CpsOutbox* outbox, CpsError* error);
  // Hands a request over (serving thread). False: too many wait.
  bool (*ask)(CpsViewSource* source, const CpsRequest* request);
  // A client came or went (serving thread).
  void (*meet)(CpsViewSource* source, uint64_t client);
  void (*leave)(CpsViewSource* source, uint64_t client);
  // What any of the clients that can take a frame wants: bit i is set for wants i (serving thread; live only).
  void (*expect)(CpsViewSource* source, unsigned wants_mask);
  // Ends the thread: nothing is posted any more.
  void (*stop)(CpsViewSource* source);
  void (*destroy)(CpsViewSource* source);
};

// A result, read by a worker thread.
CpsStatus cps_playback_create(const char* path, CpsViewSource** source, CpsError* error);

// The scene and its meshes as packets.
CpsStatus cps_source_greet(CpsViewSource* source, const CpsThings* things, CpsSceneFacts* facts, CpsError* error);
void cps_source_forget_greeting(CpsViewSource* source);
// Posts what answers a request.
void cps_source_answer(CpsOutbox* outbox, const CpsRequest* request, CpsBuffer* buffer, CpsPacketKind kind);
// The name of a file without its folder.
const char* cps_source_file_name(const char* path);

#endif
