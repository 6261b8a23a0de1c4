// Idle islands: islands at rest are skipped by steps until something touches them.
//
// If the warm start balances an island and nothing in it moves (friction/balance.h), its next step has the same contacts, the same
// problem and the same impulses, bit for bit, whatever other islands do: its contacts follow from positions that do not change, and a
// contact with anything else would make it a different island. So its contacts, their work and their report are stored here, and
// steps neither detect nor solve them, nor move its members. The island wakes
//
//   - when a touch with something that is not idle is found, at the beginning of a step or by a repeated attempt,
//   - when the step length changes,
//   - and after any change by the caller.
//
// A step that notices this halfway starts over. Results do not depend on which islands are idle: contacts, island indices, energy
// sums and saved states keep the order that they would have otherwise.
#include "world/world.h"

#include "core/error.h"
#include "friction/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct CpsAsidePlace Place;

static void free_island(CpsAsideIsland* island) {
  free(island->contact);
  free(island->track);
  free(island->member);
  free(island->sums);
}

void cps_aside_free(CpsAside* aside) {
  for (int32_t k = 0; k < aside->island_count; ++k) free_island(&aside->island[k]);
  free(aside->island);
  free(aside->place);
  free(aside->of);
  *aside = (CpsAside){0};
}

void cps_world_disturb(CpsWorld* world) {
  world->contacts.still = false;
  world->aside.disturbed = true;
}

// Whether islands may be idle in the next step. Without gravity they may not: overlaps are then pushed apart at no cost (projection.c).
static bool is_for_leaving(const CpsWorld* world) {
  return cps_world_is_plain(world) && cps_world_depends_on_state_alone(world) && world->given_count == 0 &&
         !world->changed && !world->aside.disturbed && cps_vec3_norm(world->def.gravity) > 0.0 &&
         fmin(world->h, world->def.step) == world->last_h;
}

// Whether the contacts of an island stay the same in the next step.
static bool is_lasting(const CpsWorld* world, int32_t k) {
  const CpsContacts* c = &world->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    if (c->order[i] >= c->touch_count || t->across != 1.0 || t->touch.feature & CPS_FEATURE_RENEWED) return false;
    if (t->obstacle >= 0 && world->obstacles[t->obstacle].motion.kind != CPS_MOTION_REST) return false;
  }
  return true;
}

static int compare_keys(const CpsTrack* a, const CpsTrack* b) {
  if (a->key_a != b->key_a) return a->key_a < b->key_a ? -1 : 1;
  return a->key_b < b->key_b ? -1 : a->key_b > b->key_b ? 1 : 0;
}

static int32_t find_collider(const CpsStep* step, uint64_t key) {
  int32_t low = 0, high = step->collider_count;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (step->colliders[middle].key <= key)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The deepest touch, chosen as in cps_step_deepest().
static void find_deepest(const CpsStep* step, CpsAsideIsland* island) {
  for (int32_t i = 0; i < island->contact_count; ++i) {
    const CpsStepContact* t = &island->contact[i];
    if (!(t->touch.gap < 0.0)) continue;
    island->penetration = fmax(island->penetration, -t->touch.gap);
    const CpsTrack* track = &island->track[i];
    const CpsColliderTouch found = {
        find_collider(step, track->key_a), find_collider(step, track->key_b), t->touch, {0.0, 0.0, 0.0}};
    const double deep = -t->touch.gap / cps_found_radius(step, &found);
    if (deep <= island->ratio) continue;
    island->ratio = deep;
    island->deepest = cps_found_overlap(step, &found);
    island->deepest_a = track->key_a;
    island->deepest_b = track->key_b;
  }
}

// Copies island k of the last step; false if memory runs out.
static bool copy_island(const CpsWorld* world, int32_t k, CpsAsideIsland* island) {
  const CpsContacts* c = &world->contacts;
  const int32_t first = c->island_start[k], member = c->island_member_start[k];
  *island = (CpsAsideIsland){.told = c->told[k],
                             .number = -1,
                             .contact_count = c->island_start[k + 1] - first,
                             .member_count = c->island_member_start[k + 1] - member,
                             .sum_count = (int32_t)(c->told[k + 1].sum_start - c->told[k].sum_start)};
  island->contact = malloc((size_t)island->contact_count * sizeof *island->contact);
  island->track = malloc((size_t)island->contact_count * sizeof *island->track);
  island->member = malloc((size_t)island->member_count * sizeof *island->member);
  island->sums = malloc((size_t)island->sum_count * sizeof *island->sums);
  if (!island->contact || !island->track || !island->member || !island->sums) {
    free_island(island);
    return false;
  }
  for (int32_t i = 0; i < island->contact_count; ++i) {
    island->contact[i] = c->contact[c->order[first + i]];
    island->track[i] = world->tracks[c->order[first + i]];
  }
  memcpy(island->member, c->island_member + member, (size_t)island->member_count * sizeof *island->member);
  memcpy(island->sums, c->sums + c->told[k].sum_start, (size_t)island->sum_count * sizeof *island->sums);
  return true;
}

// Merges the contacts of an island into the list of all idle contacts; false if memory runs out.
static bool add_places(CpsAside* aside, const CpsAsideIsland* island) {
  const int32_t total = aside->contact_count + island->contact_count;
  Place* all = malloc((size_t)total * sizeof *all);
  if (!all) return false;
  for (int32_t i = 0, own = 0; i + own < total;) {
    const bool old = own == island->contact_count ||
                     (i < aside->contact_count && compare_keys(aside->place[i].track, &island->track[own]) < 0);
    all[i + own] = old ? aside->place[i] : (Place){&island->contact[own], &island->track[own]};
    *(old ? &i : &own) += 1;
  }
  free(aside->place);
  aside->place = all;
  aside->contact_count = total;
  return true;
}

static int by_first(const void* a, const void* b) {
  const CpsAsideIsland *x = a, *y = b;
  return (x->told.first > y->told.first) - (x->told.first < y->told.first);
}

// Sorts the islands and notes the island of each member.
static void put_in_order(CpsAside* aside, int32_t members) {
  if (aside->island_count > 1) qsort(aside->island, (size_t)aside->island_count, sizeof *aside->island, by_first);
  aside->member_count = 0;
  for (int32_t i = 0; i < members; ++i) aside->of[i] = -1;
  for (int32_t k = 0; k < aside->island_count; ++k) {
    const CpsAsideIsland* island = &aside->island[k];
    for (int32_t i = 0; i < island->member_count; ++i) aside->of[island->member[i]] = k;
    aside->member_count += island->member_count;
  }
}

// Adds an island. If memory runs out, the island stays in the computation.
static bool add_island(CpsWorld* world, const CpsStep* step, int32_t k) {
  CpsAside* aside = &world->aside;
  CpsAsideIsland made;
  CpsAsideIsland* all = realloc(aside->island, ((size_t)aside->island_count + 1) * sizeof *all);
  if (!all) return false;
  aside->island = all;
  if (!copy_island(world, k, &made)) return false;
  if (!add_places(aside, &made)) {
    free_island(&made);
    return false;
  }
  find_deepest(step, &made);
  all[aside->island_count++] = made;
  return true;
}

// Frees the step memory of contacts that are idle now. The remaining impulses move to the other arena.
static void give_back(CpsWorld* world) {
  CpsArena *from = &world->arenas[world->current], *to = &world->arenas[1 - world->current];
  cps_arena_free(to);
  CpsTrack* tracks = CPS_TAKE(to, CpsTrack, world->track_count);
  if (!tracks) return;
  if (world->track_count > 0) memcpy(tracks, world->tracks, (size_t)world->track_count * sizeof *tracks);
  world->tracks = tracks;
  world->current = 1 - world->current;
  world->passes = NULL;  // only lines make them, and there are none
  world->pass_count = 0;
  cps_arena_free(from);
  cps_arena_free(&world->scratch);
  cps_arena_free(&world->touches);
  cps_arena_free(&world->renewed);
  for (int32_t i = 0; i < world->pool_threads; ++i) cps_workspace_forget(world->solvers[i].workspace);
}

// Sets aside islands at rest; the world keeps the tracks of the others.
static void add_islands(CpsWorld* world) {
  CpsAside* aside = &world->aside;
  const CpsContacts* c = &world->contacts;
  const int32_t members = cps_world_member_count(world);
  CpsStep step = {.world = world, .scratch = &world->scratch};
  CpsDrift drift;
  int32_t added = 0, left = 0;
  bool* gone = CPS_TAKE_ZERO(&world->scratch, bool, c->count);
  if (!aside->of) aside->of = malloc(((size_t)members + 1) * sizeof *aside->of);
  if (!gone || !aside->of || cps_step_list_colliders(&step, &drift) != CPS_OK) return;
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (!c->told[k].stands || !is_lasting(world, k) || !add_island(world, &step, k)) continue;
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) gone[c->order[i]] = true;
    ++added;
  }
  put_in_order(aside, members);
  if (added == 0) return;
  for (int32_t i = 0; i < world->track_count; ++i) {
    if (!gone[i]) world->tracks[left++] = world->tracks[i];
  }
  const bool most = left < world->track_count / 2;
  world->track_count = left;
  world->contacts = (CpsContacts){0};
  aside->shown = false;
  if (most) give_back(world);
}

// Whether some island of the last step can be set aside.
static bool any_stands(const CpsContacts* c) {
  for (int32_t k = 0; c->G && k < c->island_count; ++k) {
    if (c->told[k].stands) return true;
  }
  return false;
}

CpsStatus cps_world_set_aside(CpsWorld* world, CpsError* error) {
  const bool leaves = is_for_leaving(world);
  world->aside.disturbed = false;
  if (!leaves) return cps_world_wake(world, NULL, error);
  if (any_stands(&world->contacts)) add_islands(world);
  return CPS_OK;
}

// Merges the impulses of the marked islands into those of the last step.
static bool join_tracks(CpsWorld* world, int32_t more) {
  const CpsAside* aside = &world->aside;
  const int32_t total = world->track_count + more;
  CpsTrack* all = CPS_TAKE(&world->arenas[world->current], CpsTrack, total);
  if (!all) return false;
  int32_t own = 0, at = 0;
  for (int32_t i = 0; i < aside->contact_count; ++i) {
    if (aside->place[i].contact->island >= 0) continue;
    const CpsTrack* track = aside->place[i].track;
    while (own < world->track_count && compare_keys(&world->tracks[own], track) < 0) all[at++] = world->tracks[own++];
    all[at++] = *track;
  }
  while (own < world->track_count) all[at++] = world->tracks[own++];
  world->tracks = all;
  world->track_count = total;
  return true;
}

CpsStatus cps_world_wake(CpsWorld* world, const bool* which, CpsError* error) {
  CpsAside* aside = &world->aside;
  int32_t more = 0, left = 0, places = 0;
  for (int32_t k = 0; k < aside->island_count; ++k) {
    const CpsAsideIsland* island = &aside->island[k];
    if (which && !which[k]) continue;
    for (int32_t i = 0; i < island->contact_count; ++i) island->contact[i].island = -1;
    more += island->contact_count;
  }
  if (more == 0) return CPS_OK;
  if (!join_tracks(world, more)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < aside->contact_count; ++i) {
    if (aside->place[i].contact->island >= 0) aside->place[places++] = aside->place[i];
  }
  aside->contact_count = places;
  for (int32_t k = 0; k < aside->island_count; ++k) {
    if (!which || which[k]) {
      free_island(&aside->island[k]);
    } else {
      aside->island[left++] = aside->island[k];
    }
  }
  aside->island_count = left;
  if (left == 0) {
    cps_aside_free(aside);
  } else {
    put_in_order(aside, cps_world_member_count(world));
  }
  world->contacts = (CpsContacts){0};
  aside->shown = false;
  return CPS_OK;
}

CpsStatus cps_step_find_woken(CpsStep* step) {
  const CpsAside* aside = &step->world->aside;
  step->wakes = NULL;
  for (int32_t i = 0; aside->island_count > 0 && i < step->found_count; ++i) {
    const int32_t sides[2] = {step->colliders[step->found[i].a].owner, step->colliders[step->found[i].b].owner};
    for (int s = 0; s < 2; ++s) {
      if (!cps_step_is_aside(step, sides[s])) continue;
      if (!step->wakes) step->wakes = CPS_TAKE_ZERO(step->scratch, bool, aside->island_count);
      if (!step->wakes) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
      step->wakes[aside->of[sides[s]]] = true;
    }
  }
  return CPS_OK;
}

// Numbers the islands as if all took part in the step.
static void number_islands(CpsStep* step, int32_t* number) {
  CpsAside* aside = &step->world->aside;
  const CpsContacts* c = &step->contacts;
  int32_t other = 0;
  for (int32_t k = 0; k <= c->island_count; ++k) {
    for (; other < aside->island_count && (k == c->island_count || aside->island[other].told.first < c->told[k].first);
         ++other) {
      CpsAsideIsland* island = &aside->island[other];
      if (island->number == k + other) continue;
      island->number = k + other;
      for (int32_t i = 0; i < island->contact_count; ++i) island->contact[i].island = k + other;
    }
    if (k < c->island_count) number[k] = k + other;
  }
}

CpsStatus cps_step_show_aside(CpsStep* step) {
  CpsAside* aside = &step->world->aside;
  CpsContacts* c = &step->contacts;
  if (aside->island_count == 0) return CPS_OK;
  int32_t* number = CPS_TAKE(step->scratch, int32_t, c->island_count + 1);
  c->before = CPS_TAKE(&step->world->touches, int32_t, c->touch_count);
  if (!number || !c->before) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  number_islands(step, number);
  for (int32_t i = 0, at = 0; i < c->touch_count; ++i) {
    // galloping search: few among many
    int32_t ahead = 1;
    while (at + ahead <= aside->contact_count && compare_keys(aside->place[at + ahead - 1].track, &c->track[i]) < 0) {
      at += ahead;
      ahead *= 2;
    }
    for (; ahead > 0; ahead /= 2) {
      if (at + ahead <= aside->contact_count && compare_keys(aside->place[at + ahead - 1].track, &c->track[i]) < 0) {
        at += ahead;
      }
    }
    c->before[i] = at;
    c->contact[i].island = number[c->contact[i].island];
  }
  aside->shown = true;
  return CPS_OK;
}

int32_t cps_world_touching_count(const CpsWorld* world) {
  return world->contacts.touch_count + (world->aside.shown ? world->aside.contact_count : 0);
}

int32_t cps_world_touching_place(const CpsWorld* world, int32_t i) {
  const CpsContacts* c = &world->contacts;
  if (!world->aside.shown) return i;
  // the number of active contacts that come before it
  int32_t low = 0, high = c->touch_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (c->before[middle] + middle < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->touch_count && c->before[low] + low == i ? low : -1 - (i - low);
}

const CpsStepContact* cps_world_touching(const CpsWorld* world, int32_t i) {
  const int32_t at = cps_world_touching_place(world, i);
  return at >= 0 ? &world->contacts.contact[at] : world->aside.place[-1 - at].contact;
}

int32_t cps_world_track_count(const CpsWorld* world) {
  return world->track_count + world->aside.contact_count;
}

void cps_world_tracks(const CpsWorld* world, char* bytes) {
  const CpsAside* aside = &world->aside;
  int32_t own = 0;
  for (int32_t i = 0; i <= aside->contact_count; ++i) {
    const CpsTrack* other = i < aside->contact_count ? aside->place[i].track : NULL;
    for (; own < world->track_count && (!other || compare_keys(&world->tracks[own], other) < 0); ++own) {
      memcpy(bytes, &world->tracks[own], sizeof *other);
      bytes += sizeof *other;
    }
    if (other) memcpy(bytes, other, sizeof *other);
    bytes += other ? sizeof *other : 0;
  }
}
