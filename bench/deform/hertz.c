// Hertz's contact in Capstan and in CalculiX: force, contact radius and time, on the same mesh of the same block, one thread each.
//
// The sphere of CalculiX is a patch of stiff bricks with a grid of 0.5 mm, which is 0.6 um off the sphere; its contact is surface to
// surface with a linear penalty of 1000 E / mm, which gives way by 0.1 um. Both programs get the depth of 1 N in four increments. The force is
// the sum of the contact impulses, and of the reactions of the patch; the radius that of Hertz's pressure with their second moment,
//
//   sum f r^2 / sum f = 2/5 a^2.                                                                                             (1)
//
// Seconds are processor time of the whole calculation, meshes read or built included. The block has a finite size: its force is larger
// than Hertz's for any mesh, by as much in both programs.
//
// usage: bench-deform-hertz --scenes DIRECTORY [--out DIRECTORY] [--work DIRECTORY] [--quick]    writes deform-hertz.md
#include "capstan/array.h"
#include "capstan/scene.h"
#include "capstan/solid.h"
#include "core/clock.h"
#include "deform/arguments.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STEPS = 4, PATCH = 48 };
static const double DEPTH = 0.9767e-3, RADIUS = 0.05, FORCE = 1.0, CONTACT_RADIUS = 6.988e-3;
static const double PATCH_SIDE = 24e-3, TOUCHED = 15e-3;  // of the patch; how far from the middle the block may touch
static const char FACES[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};  // as CalculiX numbers them
static const char EDGES[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

typedef struct Mesh {
  int32_t vertices, tetrahedra;
  CpsVec3* x;
  int32_t* corner;
} Mesh;

typedef struct Found {
  double force, radius, seconds;
  int64_t unknowns;
} Found;

static void* taken(void* memory) {
  if (!memory) exit(1);
  return memory;
}

static Found press(const char* scenes, int cells, int fine, Mesh* mesh) {
  char path[512], text[3][64];
  const char* list[3] = {text[0], text[1], text[2]};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  CpsSolidInfo info;
  snprintf(path, sizeof path, "%s/hertz.yaml", scenes);
  snprintf(text[0], sizeof *text, "cells=%d", cells);
  snprintf(text[1], sizeof *text, "fine_cells=%d", fine);
  snprintf(text[2], sizeof *text, "steps=%d", STEPS);
  const double begin = cps_clock_cpu();
  if (cps_scene_load(path, list, 3, &scene, &error) != CPS_OK || cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
  const CpsSolidId id = cps_world_solid(world, 0);
  if (cps_world_solid_info(world, id, &info) != CPS_OK) exit(1);
  mesh->vertices = info.vertex_count, mesh->tetrahedra = info.tetrahedron_count;
  mesh->x = taken(calloc((size_t)mesh->vertices, sizeof *mesh->x));
  mesh->corner = taken(malloc(4 * (size_t)mesh->tetrahedra * sizeof *mesh->corner));
  (void)cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &mesh->x->x, sizeof *mesh->x);
  memcpy(mesh->corner, cps_world_solid_tetrahedra(world, id), 4 * (size_t)mesh->tetrahedra * sizeof *mesh->corner);
  for (int k = 0; k < STEPS; ++k) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) {
      fprintf(stderr, "Hertz, %d cells: step %d is not solved: %s\n", cells, k, error.text);
      exit(1);
    }
  }
  Found f = {.seconds = cps_clock_cpu() - begin, .unknowns = 3 * (int64_t)mesh->vertices};
  double moment = 0.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    const double normal = fabs(c.impulse[0]) / cps_world_settings(world).step;
    f.force += normal;
    moment += normal * (c.side[0].point.x * c.side[0].point.x + c.side[0].point.y * c.side[0].point.y);
  }
  f.radius = sqrt(2.5 * moment / f.force);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return f;
}

static double height(double x, double y) {
  return RADIUS - sqrt(RADIUS * RADIUS - x * x - y * y);
}

// In mm and MPa. Nodes of the block, of its edges, of the patch from below and above.
static int32_t write_nodes(FILE* out, const Mesh* m, const int32_t (*edge)[2], int32_t edges, int32_t* patch) {
  int32_t node = 0;
  fprintf(out, "*NODE,NSET=ALL\n");
  for (int32_t i = 0; i < m->vertices; ++i) {
    fprintf(out, "%d,%.12g,%.12g,%.12g\n", ++node, 1e3 * m->x[i].x, 1e3 * m->x[i].y, 1e3 * m->x[i].z);
  }
  for (int32_t i = 0; i < edges; ++i) {
    const CpsVec3 a = m->x[edge[i][0]], b = m->x[edge[i][1]];
    fprintf(out, "%d,%.12g,%.12g,%.12g\n", ++node, 500.0 * (a.x + b.x), 500.0 * (a.y + b.y), 500.0 * (a.z + b.z));
  }
  *patch = node + 1;
  for (int layer = 0; layer < 2; ++layer) {
    for (int i = 0; i <= PATCH; ++i) {
      for (int j = 0; j <= PATCH; ++j) {
        const double x = PATCH_SIDE * ((double)i / PATCH - 0.5), y = PATCH_SIDE * ((double)j / PATCH - 0.5);
        fprintf(out, "%d,%.12g,%.12g,%.12g\n", ++node, 1e3 * x, 1e3 * y, 1e3 * height(x, y) + layer);
      }
    }
  }
  return node;
}

static int compare_edges(const void* a, const void* b) {
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void edge_of(const int32_t* corner, int k, int32_t* edge) {
  const int32_t a = corner[(int)EDGES[k][0]], b = corner[(int)EDGES[k][1]];
  edge[0] = a < b ? a : b, edge[1] = a < b ? b : a;
}

static int32_t list_edges(const Mesh* m, int32_t (**out)[2]) {
  const size_t most = 6 * (size_t)m->tetrahedra;
  int32_t(*edge)[2] = taken(malloc(most * sizeof *edge));
  for (size_t k = 0; k < most; ++k) edge_of(m->corner + 4 * (k / 6), (int)(k % 6), edge[k]);
  qsort(edge, most, sizeof *edge, compare_edges);
  int32_t count = 0;
  for (size_t k = 0; k < most; ++k) {
    if (count == 0 || compare_edges(edge[count - 1], edge[k]) != 0) memcpy(edge[count++], edge[k], sizeof *edge);
  }
  *out = edge;
  return count;
}

static void write_elements(FILE* out, const Mesh* m, const int32_t (*edge)[2], int32_t edges, int32_t patch) {
  fprintf(out, "*ELEMENT,TYPE=%s,ELSET=BLOCK\n", edges > 0 ? "C3D10" : "C3D4");
  for (int32_t t = 0; t < m->tetrahedra; ++t) {
    const int32_t* c = m->corner + 4 * (int64_t)t;
    fprintf(out, "%d,%d,%d,%d,%d", t + 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
    for (int k = 0; k < 6 && edges > 0; ++k) {
      int32_t key[2];
      edge_of(c, k, key);
      const int32_t(*at)[2] = bsearch(key, edge, (size_t)edges, sizeof *edge, compare_edges);
      fprintf(out, ",%d", m->vertices + 1 + (int32_t)(at - edge));
    }
    fprintf(out, "\n");
  }
  fprintf(out, "*ELEMENT,TYPE=C3D8,ELSET=PATCH\n");
  const int row = PATCH + 1, layer = row * row;
  for (int i = 0; i < PATCH; ++i) {
    for (int j = 0; j < PATCH; ++j) {
      const int32_t a = patch + i * row + j, b = a + row, c = b + 1, d = a + 1;
      fprintf(out, "%d,%d,%d,%d,%d,%d,%d,%d,%d\n", m->tetrahedra + 1 + i * PATCH + j, a, b, c, d, a + layer, b + layer,
              c + layer, d + layer);
    }
  }
}

static void write_surfaces(FILE* out, const Mesh* m) {
  fprintf(out, "*SURFACE,NAME=TOP,TYPE=ELEMENT\n");
  for (int32_t t = 0; t < m->tetrahedra; ++t) {
    for (int k = 0; k < 4; ++k) {
      bool top = true;
      for (int i = 0; i < 3; ++i) {
        const CpsVec3 x = m->x[m->corner[4 * (int64_t)t + FACES[k][i]]];
        top = top && fabs(x.z) < 1e-9 && hypot(x.x, x.y) < TOUCHED;
      }
      if (top) fprintf(out, "%d,S%d\n", t + 1, k + 1);
    }
  }
  fprintf(out, "*SURFACE,NAME=BALL,TYPE=ELEMENT\nPATCH,S1\n");
}

static void write_input(const char* path, const Mesh* m, bool quadratic) {
  int32_t(*edge)[2] = NULL, patch = 0;
  const int32_t edges = quadratic ? list_edges(m, &edge) : 0;
  FILE* out = taken(fopen(path, "w"));
  const int32_t last = write_nodes(out, m, (const int32_t(*)[2])edge, edges, &patch);
  write_elements(out, m, (const int32_t(*)[2])edge, edges, patch);
  fprintf(out, "*NSET,NSET=BALL,GENERATE\n%d,%d,1\n*NSET,NSET=FIXED\n", patch, last);
  double bottom = 0.0;
  for (int32_t i = 0; i < m->vertices; ++i) bottom = fmin(bottom, m->x[i].z);
  for (int32_t i = 0; i < m->vertices; ++i) {
    if (m->x[i].z < bottom + 1e-9) fprintf(out, "%d,\n", i + 1);
  }
  for (int32_t i = 0; i < edges; ++i) {
    if (m->x[edge[i][0]].z + m->x[edge[i][1]].z < 2.0 * bottom + 1e-9) fprintf(out, "%d,\n", m->vertices + 1 + i);
  }
  write_surfaces(out, m);
  fprintf(out,
          "*MATERIAL,NAME=SOFT\n*ELASTIC\n0.1,0.3\n*MATERIAL,NAME=STIFF\n*ELASTIC\n1000,0.3\n"
          "*SOLID SECTION,ELSET=BLOCK,MATERIAL=SOFT\n*SOLID SECTION,ELSET=PATCH,MATERIAL=STIFF\n"
          "*SURFACE INTERACTION,NAME=HARD\n*SURFACE BEHAVIOR,PRESSURE-OVERCLOSURE=LINEAR\n100\n"
          "*CONTACT PAIR,INTERACTION=HARD,TYPE=SURFACE TO SURFACE\nTOP,BALL\n*BOUNDARY\nFIXED,1,3\n"
          "*STEP,INC=200\n*STATIC\n%g,1\n*BOUNDARY\nBALL,1,2\nBALL,3,3,%g\n*NODE PRINT,NSET=BALL\nU,RF\n*END STEP\n",
          1.0 / STEPS, -1e3 * DEPTH);
  fclose(out);
  free(edge);
}

// Reactions of the patch at the end; false: CalculiX did not get there.
static bool read_forces(const char* path, int32_t patch, Found* f) {
  char line[256];
  FILE* in = fopen(path, "r");
  if (!in) return false;
  bool forces = false, whole = false;
  double moment = 0.0;
  const int row = PATCH + 1;
  while (fgets(line, sizeof line, in)) {
    double time;
    const char* at = strstr(line, "and time");
    if (at) {
      forces = strstr(line, "forces") && sscanf(at + 8, "%lf", &time) == 1 && time > 0.9999;
      whole = whole || forces;
      continue;
    }
    int node;
    double x, y, z;
    if (!forces || sscanf(line, "%d %lf %lf %lf", &node, &x, &y, &z) != 4) continue;
    const int k = (node - patch) % (row * row);
    const double px = PATCH_SIDE * ((double)(k / row) / PATCH - 0.5),
                 py = PATCH_SIDE * ((double)(k % row) / PATCH - 0.5);
    f->force -= z;
    moment -= z * (px * px + py * py);
  }
  fclose(in);
  f->radius = sqrt(2.5 * moment / f->force);
  return whole;
}

static double children(void) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool calculix(const char* work, const Mesh* m, bool quadratic, Found* f) {
  char path[512], command[1200];
  snprintf(path, sizeof path, "%s/hertz.inp", work);
  write_input(path, m, quadratic);
  snprintf(command, sizeof command,
           "cd '%s' && rm -f hertz.dat && OMP_NUM_THREADS=1 timeout 400 ccx hertz > hertz.log 2>&1", work);
  const double before = children();
  const int code = system(command);
  int32_t(*edge)[2] = NULL;
  const int32_t edges = quadratic ? list_edges(m, &edge) : 0;
  free(edge);
  *f = (Found){.seconds = children() - before, .unknowns = 3 * ((int64_t)m->vertices + edges)};
  snprintf(path, sizeof path, "%s/hertz.dat", work);
  return code == 0 && read_forces(path, m->vertices + edges + 1, f);
}

static void print_row(FILE* out, const Mesh* m, const char* name, const Found* f, double beside) {
  fprintf(out, "| %d | %s | %lld | %.4f | %+.1f %% | %.3f | %+.1f %% | %.1f | %.2f |\n", m->tetrahedra, name,
          (long long)f->unknowns, f->force, 100.0 * (f->force / FORCE - 1.0), 1e3 * f->radius,
          100.0 * (f->radius / CONTACT_RADIUS - 1.0), f->seconds, f->seconds / beside);
  fflush(out);
}

int main(int argc, char** argv) {
  const Arguments asked = read_arguments(argc, argv);
  FILE* out = open_table(&asked, "deform-hertz.md");
  if (!out) return 1;
  fprintf(out,
          "| tetrahedra | program | unknowns | force, N | error | radius, mm | error | s | time of Capstan's |\n"
          "|---:|---|---:|---:|---:|---:|---:|---:|---:|\n");
  static const int CELLS[][2] = {{5, 2}, {8, 3}, {12, 5}};
  bool good = true;
  for (int k = 0; k < (asked.quick ? 1 : 3); ++k) {
    Mesh mesh;
    const Found ours = press(asked.scenes, CELLS[k][0], CELLS[k][1], &mesh);
    print_row(out, &mesh, "Capstan", &ours, ours.seconds);
    for (int quadratic = 0; quadratic < (k < 1 ? 2 : 1); ++quadratic) {
      Found peer;
      const char* name = quadratic ? "CalculiX, C3D10" : "CalculiX, C3D4";
      if (calculix(asked.work, &mesh, quadratic, &peer)) {
        print_row(out, &mesh, name, &peer, ours.seconds);
      } else {
        fprintf(out, "| %d | %s | no result | | | | | | |\n", mesh.tetrahedra, name);
        good = false;
      }
    }
    free(mesh.x);
    free(mesh.corner);
  }
  good = close_table(out) && good;
  return good ? 0 : 1;
}
