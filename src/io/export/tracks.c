// The motion of bodies and obstacles over the frames of an export, some of them at a time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/export/internal.h"

#define TRACK_BYTES ((int64_t)64 << 20)  // memory for one block of tracks

int32_t cps_export_tracks_room(const CpsExport* e) {
  int64_t room = TRACK_BYTES / (cps_export_frames(e) * (int64_t)sizeof(CpsPose));
  return room < 1 ? 1 : room > INT32_MAX ? INT32_MAX : (int32_t)room;
}

// A unit quaternion on the same side of the sphere as the previous one; identity if its length is zero.
static CpsQuat follow(CpsQuat q, const CpsQuat* before) {
  double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(norm > 0.0)) return (CpsQuat){1.0, 0.0, 0.0, 0.0};
  if (before && q.w * before->w + q.x * before->x + q.y * before->y + q.z * before->z < 0.0) norm = -norm;
  return (CpsQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

CpsStatus cps_export_tracks_read(CpsExport* e, CpsExportTracks* tracks) {
  int64_t frames = cps_export_frames(e);
  for (int64_t k = 0; k < frames; ++k) {
    const CpsFrame* frame = NULL;
    CpsStatus status = cps_export_read_finite(e, e->options.first + k, &frame);
    if (status != CPS_OK) return status;
    const CpsPose* from = (tracks->obstacles ? frame->obstacles : frame->bodies) + tracks->first;
    for (int32_t i = 0; i < tracks->count; ++i) {
      CpsPose* to = tracks->pose + i * frames + k;
      *to = (CpsPose){from[i].position, follow(from[i].rotation, k > 0 ? &(to - 1)->rotation : NULL)};
    }
  }
  return CPS_OK;
}

bool cps_export_track_moves(const CpsExport* e, const CpsPose* track) {
  for (int64_t k = 1; k < cps_export_frames(e); ++k) {
    const CpsPose *a = &track[0], *b = &track[k];
    if (a->position.x != b->position.x || a->position.y != b->position.y || a->position.z != b->position.z ||
        a->rotation.w != b->rotation.w || a->rotation.x != b->rotation.x || a->rotation.y != b->rotation.y ||
        a->rotation.z != b->rotation.z) {
      return true;
    }
  }
  return false;
}
