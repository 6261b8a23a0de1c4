#define _XOPEN_SOURCE 700  // st_mtim

#include "server/follow.h"

#include <string.h>
#include <sys/stat.h>

// Records the current state of the file. False if it cannot be examined or has not changed.
static bool changed(CpsFollow* follow) {
  struct stat now;
  if (stat(follow->path, &now) != 0) return false;
  CpsFollow seen = *follow;
  seen.device = (uint64_t)now.st_dev;
  seen.inode = (uint64_t)now.st_ino;
  seen.size = (int64_t)now.st_size;
  seen.seconds = (int64_t)now.st_mtim.tv_sec;
  seen.nanoseconds = (int64_t)now.st_mtim.tv_nsec;
  bool same = seen.device == follow->device && seen.inode == follow->inode && seen.size == follow->size &&
              seen.seconds == follow->seconds && seen.nanoseconds == follow->nanoseconds;
  *follow = seen;
  return !same;
}

// Opens the file and counts its contents.
static CpsStatus open_result(CpsFollow* follow, CpsError* error) {
  follow->opened++;
  CpsStatus status = cps_result_open(follow->path, &follow->result, error);
  if (status == CPS_OK) status = cps_show_result(follow->result, &follow->show, error);
  if (status != CPS_OK) {
    cps_follow_end(follow);
    return status;
  }
  const CpsThings* t = cps_show_things(follow->show);
  const int64_t counts[6] = {t->body_count, t->obstacle_count, t->fibre_count,
                             t->part_count, t->line_count,     t->point_count};
  memcpy(follow->counts, counts, sizeof counts);
  follow->frames = cps_show_frame_count(follow->show);
  follow->finished = cps_result_info(follow->result).finished;
  return CPS_OK;
}

CpsStatus cps_follow_begin(CpsFollow* follow, const char* path, CpsError* error) {
  *follow = (CpsFollow){.path = path};
  (void)changed(follow);  // before opening, so that changes in between are seen next time
  return open_result(follow, error);
}

CpsFollowNews cps_follow_look(CpsFollow* follow) {
  CpsFollow before = *follow;
  if (follow->replaced || !changed(follow)) return CPS_FOLLOW_NOTHING;
  // while the old file is open, its inode is not reused for another file
  if (follow->device != before.device || follow->inode != before.inode) {
    *follow = before;
    follow->replaced = true;
    return CPS_FOLLOW_REPLACED;
  }
  // closed first: HDF5 would return the file that is still open, with its old contents
  cps_follow_end(follow);
  if (open_result(follow, NULL) != CPS_OK) {
    follow->size = -1;  // try again later
    return CPS_FOLLOW_NOTHING;
  }
  // a file of the same run contains the same objects
  if (memcmp(follow->counts, before.counts, sizeof before.counts) != 0) {
    cps_follow_end(follow);
    follow->replaced = true;
    return CPS_FOLLOW_REPLACED;
  }
  return follow->frames != before.frames || follow->finished != before.finished ? CPS_FOLLOW_GROWN : CPS_FOLLOW_NOTHING;
}

void cps_follow_end(CpsFollow* follow) {
  cps_show_destroy(follow->show);
  cps_result_destroy(follow->result);
  follow->show = NULL;
  follow->result = NULL;
}

void cps_follow_tell(CpsBuffer* out, const CpsFollow* follow) {
  CpsResultInfo info = cps_result_info(follow->result);
  cps_buffer_text(out, "{\"type\":\"grown\",\"frames\":");
  cps_buffer_integer(out, follow->frames);
  cps_buffer_text(out, ",\"end\":");
  cps_buffer_number(out, info.time);
  cps_buffer_text(out, ",\"until\":");
  cps_buffer_number(out, info.end);
  cps_buffer_text(out, follow->finished ? ",\"finished\":true}" : ",\"finished\":false}");
}
