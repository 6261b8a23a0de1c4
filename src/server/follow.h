// Follows a result while a run writes it. The file can be opened at any moment; a reader sees the frames that were complete when it
// opened the file, and must open it again to see more.
#ifndef CAPSTAN_SERVER_FOLLOW_H
#define CAPSTAN_SERVER_FOLLOW_H

#include "capstan/frame.h"
#include "server/buffer.h"

// Outcome of a check of the file.
typedef enum CpsFollowNews {
  CPS_FOLLOW_NOTHING,  // it is as it was, or cannot be read just now
  CPS_FOLLOW_GROWN,    // there are other frames, or it was finished
  CPS_FOLLOW_REPLACED  // another run took its place; the old one can still be played, unless its bytes were overwritten
} CpsFollowNews;

typedef struct CpsFollow {
  const char* path;  // the caller's
  CpsResult* result;
  CpsShow* show;   // both NULL: the file cannot be read just now
  int64_t opened;  // how often they were other ones
  // its contents
  int64_t frames, counts[6];
  bool finished;
  // the file at that time
  uint64_t device, inode;
  int64_t size, seconds, nanoseconds;
  bool replaced;
} CpsFollow;

// Opens the result at `path`, which must stay valid.
CpsStatus cps_follow_begin(CpsFollow* follow, const char* path, CpsError* error);
// Checks the file again; may replace `result` and `show`.
CpsFollowNews cps_follow_look(CpsFollow* follow);
void cps_follow_end(CpsFollow* follow);

// {"type": "grown", …}: the progress of the result.
void cps_follow_tell(CpsBuffer* out, const CpsFollow* follow);

#endif
