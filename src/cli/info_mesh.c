#include "cli/info_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/report.h"

// PLY files may also contain strands of hair; point clouds have normals.
static bool has_faces(const char* path) {
  CpsMeshFile mesh;
  if (cps_mesh_file_read(path, &mesh, NULL) != CPS_OK) return false;
  bool found = mesh.triangle_count > 0 || mesh.normal_count == mesh.vertex_count;
  cps_mesh_file_free(&mesh);
  return found;
}

bool cps_mesh_recognise(const char* path) {
  static const char* const ENDS[] = {".ply", ".obj",  ".vtk",   ".vtu",  ".vtp",
                                     ".msh", ".mesh", ".meshb", ".node", ".ele"};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; ++i) {
    const size_t end = strlen(ENDS[i]);
    if (length > end && strcmp(path + length - end, ENDS[i]) == 0) return i > 0 || has_faces(path);
  }
  return false;
}

static void put_vector(CpsJson* json, const char* key, CpsVec3 v) {
  cps_json_open(json, key, '[');
  cps_json_number(json, NULL, v.x);
  cps_json_number(json, NULL, v.y);
  cps_json_number(json, NULL, v.z);
  cps_json_close(json, ']');
}

static void print_json(const char* path, const CpsMeshFile* mesh, const CpsMeshFacts* f) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "mesh", path);
  cps_json_integer(&json, "vertices", mesh->vertex_count);
  cps_json_integer(&json, "triangles", mesh->triangle_count);
  cps_json_integer(&json, "tetrahedra", mesh->tetrahedron_count);
  cps_json_integer(&json, "skipped_cells", mesh->skipped_cells);
  cps_json_integer(&json, "unused_vertices", f->unused);
  cps_json_integer(&json, "surface_triangles", f->surface_triangles);
  cps_json_integer(&json, "open_edges", f->open_edges);
  cps_json_bool(&json, "closed", f->closed);
  cps_json_number(&json, "area", f->area);
  cps_json_number(&json, "volume", f->volume);
  cps_json_integer(&json, "inverted", f->inverted);
  cps_json_integer(&json, "worst", f->worst);
  cps_json_number(&json, "angle_min", f->angle_min);
  cps_json_number(&json, "angle_max", f->angle_max);
  cps_json_number(&json, "smooth_reach", f->smooth_reach);
  cps_json_number(&json, "smooth_error", f->smooth_error);
  cps_json_integer(&json, "smooth_holes", f->smooth_holes);
  put_vector(&json, "lower", f->lower);
  put_vector(&json, "upper", f->upper);
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_smooth(const CpsMeshFile* mesh, const CpsMeshFacts* f) {
  const double side = fmax(f->upper.x - f->lower.x, fmax(f->upper.y - f->lower.y, f->upper.z - f->lower.z));
  const bool cloud = f->surface_triangles == 0 && mesh->normal_count == mesh->vertex_count;
  if (cloud) printf("points     %d, with normals\n", (int)mesh->vertex_count);
  if (f->surface_triangles == 0 && !cloud) return;
  if (isnan(f->smooth_reach)) {
    puts("smooth     no smooth surface without holes and with at most 128 samples in reach");
    return;
  }
  printf("smooth     reach %.4g, Hausdorff error %.3g, %.2g %% of the longest side", f->smooth_reach, f->smooth_error,
         100.0 * f->smooth_error / side);
  if (f->smooth_holes > 0) printf("; not found from %d places on thin or sharp parts", (int)f->smooth_holes);
  putchar('\n');
}

void cps_mesh_print_facts(const CpsMeshFile* mesh, const CpsMeshFacts* f) {
  printf("vertices   %d", (int)mesh->vertex_count);
  if (f->unused > 0) printf(", %d of them unused", (int)f->unused);
  printf("\ntriangles  %d\n", (int)mesh->triangle_count);
  if (mesh->tetrahedron_count > 0) {
    printf("tetrahedra %d, dihedral angles %.1f to %.1f degrees, the smallest in tetrahedron %d\n",
           (int)mesh->tetrahedron_count, f->angle_min, f->angle_max, (int)f->worst);
  }
  if (f->inverted > 0) printf("warning    %d tetrahedra are flat or inverted\n", (int)f->inverted);
  if (mesh->skipped_cells > 0) printf("skipped    %" PRId64 " cells of other types\n", mesh->skipped_cells);
  if (f->surface_triangles > 0) printf("surface    %d triangles, area %.6g, ", (int)f->surface_triangles, f->area);
  if (f->closed) puts("closed");
  if (f->surface_triangles > 0 && !f->closed) printf("open at %d edges\n", (int)f->open_edges);
  if (f->volume == f->volume) printf("volume     %.6g\n", f->volume);
  print_smooth(mesh, f);
  printf("x          %.6g to %.6g\ny          %.6g to %.6g\nz          %.6g to %.6g\n", f->lower.x, f->upper.x,
         f->lower.y, f->upper.y, f->lower.z, f->upper.z);
}

int cps_info_mesh(const char* path, bool as_json) {
  CpsMeshFile mesh;
  CpsMeshFacts facts;
  CpsError error;
  if (cps_mesh_file_read(path, &mesh, &error) != CPS_OK) return cps_complain("%s", error.text);
  CpsStatus status = cps_mesh_file_facts(&mesh, &facts, &error);
  if (status == CPS_OK && as_json) print_json(path, &mesh, &facts);
  if (status == CPS_OK && !as_json) {
    printf("%s: mesh, in file units\n", cps_file_name(path));
    cps_mesh_print_facts(&mesh, &facts);
  }
  cps_mesh_file_free(&mesh);
  return status == CPS_OK ? CPS_EXIT_OK : cps_complain("%s", error.text);
}
