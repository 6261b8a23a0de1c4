// Super-helices at rest, in both forms: the natural curvatures that balance weight and pulls, element by element,
//
//   l K3 (k - n) = -dU/dk,      n = k + (l K3)^-1 dU/dk                                                             (1)
//
// (habilitation of Bertails-Descoubes 2017, (4.3)); dU/dk is that of helix_statics.c. Time and memory are linear.
#include "core/error.h"
#include "core/quat.h"
#include "model/helix_statics.h"
#include "model/super_helix.h"
#include "model/super_helix_recursive.h"
#include "sparse/banded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Memory for the results of a rod.
typedef struct Found {
  int32_t count;
  CpsHelixLink* link;
  CpsHelixCarried* carried;
  CpsVec3* force;  // -dU/dk
  CpsHelixCarried root;
} Found;

static CpsVec3* curvatures(const CpsRod* rod) {
  return rod->type == &cps_rod_super_helix ? cps_super_helix(rod).curvature : cps_recursive(rod).curvature;
}

static CpsVec3* naturals(const CpsRod* rod) {
  return rod->type == &cps_rod_super_helix ? cps_super_helix(rod).natural : cps_recursive(rod).natural;
}

static CpsVec3 stiffness_of(const CpsRod* rod, int32_t i) {
  return rod->type == &cps_rod_super_helix ? cps_super_helix(rod).stiffness[i]
                                           : cps_recursive(rod).element[i].stiffness;
}

static void fill_links(const CpsRod* rod, CpsHelixLink* link) {
  if (rod->type == &cps_rod_super_helix) {
    const CpsSuperHelix x = cps_super_helix(rod);
    for (int32_t i = 0; i < x.elements; ++i) {
      link[i] = (CpsHelixLink){i - 1,          x.length[i],    x.mass[i] / x.length[i],
                               x.stiffness[i], x.curvature[i], x.natural[i],
                               x.node[i].x,    x.node[i].R};
    }
    return;
  }
  const CpsRecursive v = cps_recursive(rod);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    const CpsRecursiveElement* e = &v.element[i];
    link[i] = (CpsHelixLink){v.parent[i],    e->size,      e->density, e->stiffness,
                             v.curvature[i], v.natural[i], v.now[i].x, v.now[i].R};
  }
}

static bool find(const CpsRod* rod, const CpsRodLoad* load, Found* out) {
  const size_t n = (size_t)rod->spec.elements;
  char* memory = malloc(n * (sizeof(CpsHelixLink) + sizeof(CpsHelixCarried) + sizeof(CpsVec3)));
  if (!memory) return false;
  out->count = rod->spec.elements;
  out->link = (CpsHelixLink*)(void*)memory;
  out->carried = (CpsHelixCarried*)(void*)(out->link + n);
  out->force = (CpsVec3*)(void*)(out->carried + n);
  fill_links(rod, out->link);
  out->root = cps_helix_forces(rod, load, out->count, out->link, out->carried, out->force);
  return true;
}

static CpsRodNatural natural(const CpsRod* rod) {
  return (CpsRodNatural){.count = rod->spec.elements, .strain = &naturals(rod)->x, .first = 1.0};
}

static void restiffen(CpsRod* rod) {
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t j = 0; j < branch->elements; ++j) {
      const double taper = b == 0 ? cps_rod_element_taper(&rod->spec, j, 4) : 1.0;
      const CpsVec3 K = cps_vec3_scale(taper * cps_rod_element_size(branch, j), cps_vec3_get(branch->stiffness));
      if (rod->type == &cps_rod_super_helix) {
        cps_super_helix(rod).stiffness[j] = K;
      } else {
        cps_recursive(rod).element[branch->first_element + j].stiffness = K;
      }
    }
  }
}

static CpsStatus balance(CpsRod* rod, const CpsRodLoad* load, CpsError* error) {
  Found found;
  if (!find(rod, load, &found)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
  CpsVec3* n = naturals(rod);
  const CpsStatus status = cps_helix_check_root(rod, load, &found.root, error);
  for (int32_t i = 0; status == CPS_OK && i < found.count; ++i) {
    const CpsVec3 k = found.link[i].k, K = found.link[i].stiffness, Q = found.force[i];
    n[i] = cps_vec3(k.x - Q.x / K.x, k.y - Q.y / K.y, k.z - Q.z / K.z);  // (1)
  }
  free(found.link);
  return status;
}

static void strains(const CpsRod* rod, double* k) {
  memcpy(k, curvatures(rod), (size_t)rod->spec.elements * sizeof(CpsVec3));
}

// K is diagonal, and so is L.
static void whiten(const CpsRod* rod, double* x) {
  for (int32_t i = 0; i < 3 * rod->spec.elements; ++i) {
    const CpsVec3 K = stiffness_of(rod, i / 3);
    x[i] *= sqrt((&K.x)[i % 3]);
  }
}

static bool compliance(const CpsRod* rod, int32_t count, const CpsRodSpot* spots) {
  const int32_t n = 3 * rod->spec.elements;
  CpsHelixLink* link = malloc((size_t)rod->spec.elements * sizeof *link);
  if (!link) return false;
  fill_links(rod, link);
  for (int32_t p = 0; p < count; ++p) {
    memset(spots[p].G, 0, 3 * (size_t)n * sizeof(double));
    cps_helix_point_rows(rod, link, &spots[p]);
    for (int32_t i = 0; i < 3 * n; ++i) spots[p].G[i] /= sqrt((&link[i % n / 3].stiffness.x)[i % 3]);
  }
  free(link);
  return true;
}

static int32_t size(const CpsRod* rod, int32_t* band) {
  *band = 3 * rod->spec.elements - 1;
  return 3 * rod->spec.elements;
}

static CpsStatus gradient(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit) {
  Found found;
  if (!find(rod, load, &found)) return CPS_NO_MEMORY;
  const double moment = cps_rod_load_size(rod, load) * rod->spec.length;
  for (int32_t i = 0; i < found.count; ++i) {
    const CpsHelixLink* e = &found.link[i];
    const CpsVec3 b = cps_vec3_sub(e->k, e->natural), K = e->stiffness;
    cps_vec3_put(g + 3 * (ptrdiff_t)i, cps_vec3_sub(cps_vec3(K.x * b.x, K.y * b.y, K.z * b.z), found.force[i]));
    for (int a = 0; a < 3; ++a) unit[3 * i + a] = moment * e->size;
  }
  free(found.link);
  return CPS_OK;
}

static CpsStatus hessian(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C) {
  Found found;
  if (!find(rod, load, &found)) return CPS_NO_MEMORY;
  const int32_t n = 3 * found.count;
  memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (int32_t i = 0; i < n; ++i) K[cps_banded_at(n - 1, i, i)] = (&found.link[i / 3].stiffness.x)[i % 3];
  cps_helix_second(rod, load, found.count, found.link, found.carried, C);
  free(found.link);
  return CPS_OK;
}

static void move(CpsRod* rod, const double* change) {
  CpsVec3* k = curvatures(rod);
  for (int32_t i = 0; i < rod->spec.elements; ++i) {
    k[i] = cps_vec3_add(k[i], cps_vec3_get(change + 3 * (ptrdiff_t)i));
  }
  rod->type->refresh(rod);
}

const CpsRodStatics cps_super_helix_statics = {natural, restiffen, balance, strains, whiten, compliance,
                                               size,    gradient,  hessian, NULL,    move};
const CpsRodStatics cps_recursive_statics = {natural, restiffen, balance, strains, whiten, compliance,
                                             size,    gradient,  hessian, NULL,    move};
