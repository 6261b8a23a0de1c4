// The full time-dependent state as one block of bytes: all that a resumed run needs for identical bits.
//
//   header | books | populations | tracked impulses | ties
//
// The bytes are those of this machine; they are not an exchange format.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

static const char MAGIC[8] = "cpsworl9";
static const int64_t MOST_STEPS = INT64_C(1) << 53;  // exact in a double, and far from overflow

typedef struct Header {
  char magic[8];
  uint64_t member_bytes;
  int64_t index, mark_index;
  double time, h, last_h, mark_time, last_energy, pull_energy;
  CpsEnergy energy;
  int32_t calm, changed, track_count, obstacle_count, tie_count, reserved;
} Header;

// Saved state of a tie.
typedef struct SavedTie {
  double broken, angle;  // broken: 0, 1, or 2 if its sides have come apart since
  CpsVec3 force;         // of the last step: the tension for the next one
  double measured;       // 0 or 1
  double buried[2];
} SavedTie;

static size_t ties_size(int32_t count) {
  return (size_t)count * sizeof(SavedTie);
}

static size_t tracks_size(int32_t count) {
  return (size_t)count * sizeof(CpsTrack);
}

size_t cps_world_state_size(const CpsWorld* world) {
  if (!world) return 0;
  return sizeof(Header) + cps_populations_size(world) + tracks_size(cps_world_track_count(world)) +
         ties_size(world->tie_count);
}

CpsStatus cps_world_save(const CpsWorld* world, void* bytes, size_t size, CpsError* error) {
  if (!world || !bytes) return cps_fail(error, CPS_BAD_ARGUMENT, "world or bytes is NULL");
  if (size < cps_world_state_size(world))
    return cps_fail(error, CPS_BAD_ARGUMENT, "the buffer is too small for the state");
  Header header;
  memset(&header, 0, sizeof header);  // includes padding
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  header.member_bytes = cps_populations_size(world);
  header.index = world->index;
  header.time = world->time;
  header.h = world->h;
  header.last_h = world->last_h;
  header.mark_time = world->mark_time;
  header.mark_index = world->mark_index;
  header.last_energy = world->last_energy;
  header.pull_energy = world->pull_energy;
  header.energy = world->energy;
  header.calm = world->calm;
  header.changed = world->changed;
  header.track_count = cps_world_track_count(world);
  header.obstacle_count = world->obstacle_there;
  header.tie_count = world->tie_count;
  char* at = bytes;
  memcpy(at, &header, sizeof header);
  cps_populations_save(world, at + sizeof header);
  cps_world_tracks(world, at + sizeof header + header.member_bytes);
  at += sizeof header + header.member_bytes + tracks_size(header.track_count);
  for (int32_t i = 0; i < world->tie_count; ++i) {
    const CpsTie* t = &world->ties[i];
    const SavedTie saved = {.broken = t->parted ? 2.0 : (t->broken ? 1.0 : 0.0),
                            .angle = t->angle,
                            .force = t->force,
                            .measured = t->measured ? 1.0 : 0.0,
                            .buried = {t->buried[0], t->buried[1]}};
    memcpy(at + ties_size(i), &saved, sizeof saved);
  }
  return cps_succeed(error);
}

static CpsStatus check(const CpsWorld* world, const Header* h, size_t size, CpsError* error) {
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0)
    return cps_fail(error, CPS_BAD_FORMAT, "the data is not a saved state");
  if (h->member_bytes != cps_populations_size(world) || h->obstacle_count != world->obstacle_there ||
      h->tie_count != world->tie_count) {
    return cps_fail(error, CPS_BAD_FORMAT,
                    "the state belongs to a world with a different number of objects, obstacles or ties");
  }
  if (h->track_count < 0 ||
      size != sizeof *h + (size_t)h->member_bytes + tracks_size(h->track_count) + ties_size(h->tie_count)) {
    return cps_fail(error, CPS_BAD_FORMAT, "the state has %zu bytes, which is not its declared size", size);
  }
  bool counts = h->index <= MOST_STEPS && h->mark_index >= 0 && h->mark_index <= h->index && h->calm >= 0;
  bool steps = h->h > 0.0 && isfinite(h->h) && h->last_h > 0.0 && isfinite(h->last_h);
  if (!counts || !steps || !isfinite(h->time) || !isfinite(h->mark_time)) {
    return cps_fail(error, CPS_BAD_DATA, "the time or step of the state is invalid");
  }
  return CPS_OK;
}

static CpsStatus check_tracks(const CpsTrack* tracks, int32_t count, CpsError* error) {
  for (int32_t i = 0; i < count; ++i) {
    const CpsTrack* t = &tracks[i];
    if (!cps_vec3_is_finite(t->impulse) || !cps_vec3_is_finite(t->point) || !isfinite(t->arc[0]) ||
        !isfinite(t->arc[1]) || !isfinite(t->span)) {
      return cps_fail(error, CPS_BAD_DATA, "impulse %d of the state is not finite", (int)i);
    }
  }
  return CPS_OK;
}

static CpsStatus check_ties(const char* bytes, int32_t count, CpsError* error) {
  for (int32_t i = 0; i < count; ++i) {
    SavedTie saved;
    memcpy(&saved, bytes + ties_size(i), sizeof saved);
    if ((saved.broken != 0.0 && saved.broken != 1.0 && saved.broken != 2.0) || !isfinite(saved.angle) ||
        !cps_vec3_is_finite(saved.force) || (saved.measured != 0.0 && saved.measured != 1.0) ||
        !(saved.buried[0] >= 0.0) || !(saved.buried[1] >= 0.0)) {
      return cps_fail(error, CPS_BAD_DATA, "tie %d of the state is invalid", (int)i);
    }
  }
  return CPS_OK;
}

static void load_ties(CpsWorld* world, const char* bytes) {
  for (int32_t i = 0; i < world->tie_count; ++i) {
    SavedTie saved;
    memcpy(&saved, bytes + ties_size(i), sizeof saved);
    world->ties[i].broken = saved.broken != 0.0;
    world->ties[i].parted = saved.broken == 2.0;
    world->ties[i].angle = saved.angle;
    world->ties[i].force = saved.force;
    world->ties[i].measured = saved.measured != 0.0;
    world->ties[i].buried[0] = saved.buried[0];
    world->ties[i].buried[1] = saved.buried[1];
  }
}

CpsStatus cps_world_load(CpsWorld* world, const void* bytes, size_t size, CpsError* error) {
  if (!world || !bytes) return cps_fail(error, CPS_BAD_ARGUMENT, "world or bytes is NULL");
  Header header;
  if (size < sizeof header) return cps_fail(error, CPS_BAD_FORMAT, "the state has only %zu bytes", size);
  memcpy(&header, bytes, sizeof header);
  CpsStatus status = check(world, &header, size, error);
  if (status != CPS_OK) return status;
  const char* at = (const char*)bytes + sizeof header;
  CpsArena* arena = &world->arenas[1 - world->current];
  cps_arena_reset(arena);
  CpsTrack* tracks = CPS_TAKE(arena, CpsTrack, header.track_count);
  if (!tracks) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a state");
  if (header.track_count > 0) memcpy(tracks, at + header.member_bytes, tracks_size(header.track_count));
  status = check_tracks(tracks, header.track_count, error);
  const char* ties = at + header.member_bytes + tracks_size(header.track_count);
  if (status == CPS_OK) status = check_ties(ties, header.tie_count, error);
  if (status == CPS_OK) status = cps_populations_check(world, at, error);
  if (status != CPS_OK) return status;
  cps_populations_load(world, at);
  load_ties(world, ties);
  world->current = 1 - world->current;
  world->contacts = (CpsContacts){0};
  cps_aside_free(&world->aside);
  world->pass_count = 0;
  world->tracks = tracks;
  world->track_count = header.track_count;
  world->index = header.index;
  world->time = header.time;
  // settings may differ from those of the saved world and limit the step
  world->h = fmin(header.h, world->def.step);
  world->last_h = header.last_h;
  world->mark_time = header.mark_time;
  world->mark_index = header.mark_index;
  world->last_energy = header.last_energy;
  world->energy = header.energy;
  world->calm = header.calm;
  world->entangled = true;
  world->changed = true;
  cps_pulls_restore(world);
  CpsModelStep now = {.gravity = world->def.gravity};
  double energy = cps_world_total_energy(world, &now, NULL);
  // with unchanged settings the energy is the same to the bit, and the balance continues
  if (energy == header.last_energy && !header.changed) world->changed = false;
  world->pull_energy = header.pull_energy;
  return cps_succeed(error);
}

uint64_t cps_world_hash(const CpsWorld* world) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  if (!world) return hash;
  hash = cps_hash_bytes(hash, &world->time, sizeof world->time);
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    hash = model->type->hash(model, hash);
  }
  return hash;
}
