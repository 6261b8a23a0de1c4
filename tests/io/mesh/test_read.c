// Meshes from OBJ, PLY, legacy VTK and VTU files.
#include "io/mesh/samples.h"

#include <unistd.h>

#include "io/mesh/internal.h"

static CpsMeshFile parse(const char* text) {
  CpsMeshFile mesh;
  CpsError error;
  if (cps_mesh_file_parse(text, strlen(text), "f", &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
  check_sound(&mesh);
  return mesh;
}

static void every_format_gives_the_same_mesh(void** state) {
  (void)state;
  for (int i = 0; i < SAMPLES; ++i) {
    const Sample sample = get_sample(i);
    CpsMeshFile mesh;
    CpsError error;
    if (cps_mesh_file_parse(sample.bytes, sample.size, sample.name, &mesh, &error) != CPS_OK)
      fail_msg("%s", error.text);
    assert_string_equal(error.text, "");
    check_sound(&mesh);
    assert_int_equal(mesh.vertex_count, 5);
    for (int k = 0; k < 5; ++k) {
      const double x[3] = {mesh.vertices[k].x, mesh.vertices[k].y, mesh.vertices[k].z};
      assert_memory_equal(x, POINTS[k], sizeof x);
    }
    assert_int_equal(mesh.triangle_count, 2);
    assert_memory_equal(mesh.triangles, TRIANGLES, sizeof TRIANGLES);
    assert_int_equal(mesh.tetrahedron_count, sample.solid);
    const int32_t tetrahedron[4] = {0, 1, 2, 4};
    if (sample.solid) assert_memory_equal(mesh.tetrahedra, tetrahedron, sizeof tetrahedron);
    if (sample.solid) assert_int_equal(mesh.skipped_cells, 1);
    cps_mesh_file_free(&mesh);
    assert_null(mesh.vertices);
  }
}

static void corners_of_obj_name_their_texture_coordinates_and_normals(void** state) {
  (void)state;
  CpsMeshFile mesh = parse(OBJ_TEXT);
  const int32_t uvs[6] = {0, 1, 2, 2, 1, 3}, normals[6] = {0, 0, 0, -1, -1, -1};
  assert_int_equal(mesh.uv_count, 4);
  assert_memory_equal(mesh.triangle_uvs, uvs, sizeof uvs);
  assert_true(mesh.uvs[2] == 1.0 && mesh.uvs[5] == 1.0 && mesh.uvs[6] == 0.5 && mesh.uvs[7] == 0.0);
  assert_int_equal(mesh.normal_count, 1);
  assert_memory_equal(mesh.triangle_normals, normals, sizeof normals);
  cps_mesh_file_free(&mesh);
}

static void polygons_become_fans_and_strips_turn_about(void** state) {
  (void)state;
  CpsMeshFile mesh =
      parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nvt 1 2\nvt 3 4\nf 1/1 2/2 3/1 4/2\nf 2 3 4\nl 1 2\n");
  const int32_t fan[12] = {0, 1, 2, 0, 1, 2, 0, 2, 3, 1, 2, 3}, uvs[12] = {-1, -1, -1, 0, 1, 0, 0, 0, 1, -1, -1, -1};
  assert_int_equal(mesh.triangle_count, 4);
  assert_memory_equal(mesh.triangles, fan, sizeof fan);
  assert_memory_equal(mesh.triangle_uvs, uvs, sizeof uvs);
  assert_int_equal(mesh.skipped_cells, 1);
  cps_mesh_file_free(&mesh);
  mesh = parse(
      "# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 2 0\n"
      "TRIANGLE_STRIPS 1 6\n5 0 1 2 3 4\nPOLYGONS 1 5\n4 0 1 3 2\nLINES 1 3\n2 0 1\nVERTICES 1 2\n1 3\n");
  const int32_t strip[15] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 0, 1, 3, 0, 3, 2};
  assert_int_equal(mesh.triangle_count, 5);
  assert_memory_equal(mesh.triangles, strip, sizeof strip);
  assert_int_equal(mesh.skipped_cells, 2);
  cps_mesh_file_free(&mesh);
}

// An L of six corners, begun at each of them, and seen from both sides: the triangles have its area, and each has its direction.
static void concave_polygons_are_cut_into_ears(void** state) {
  (void)state;
  for (int begin = 0; begin < 12; ++begin) {
    char text[512];
    int at = snprintf(text, sizeof text, "v 0 0 1\nv 3 0 1\nv 3 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1\nf");
    for (int k = 0; k < 6; ++k) {
      int corner = begin < 6 ? (begin + k) % 6 : (begin + 6 - k) % 6;
      at += snprintf(text + at, sizeof text - (size_t)at, " %d", corner + 1);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "\n");
    CpsMeshFile mesh = parse(text);
    assert_int_equal(mesh.triangle_count, 4);
    double area = 0.0;
    for (int i = 0; i < 4; ++i) {
      const int32_t* t = mesh.triangles + 3 * i;
      CpsVec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
      double twice = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
      assert_true(begin < 6 ? twice > 0.0 : twice < 0.0);
      area += 0.5 * fabs(twice);
    }
    assert_near(area, 5.0, 1e-12);
    cps_mesh_file_free(&mesh);
  }
}

static void values_of_vertices_and_corners_are_kept(void** state) {
  (void)state;
  CpsMeshFile mesh = parse(PLY_TEXT);
  assert_true(mesh.normal_count == 5 && !mesh.triangle_normals && mesh.normals[3].z == 1.0);
  assert_true(mesh.uv_count == 5 && !mesh.triangle_uvs && mesh.uvs[6] == 1.0 && mesh.uvs[7] == 1.0);
  cps_mesh_file_free(&mesh);
  const Sample ply = binary_ply(true);
  assert_int_equal(cps_mesh_file_parse(ply.bytes, ply.size, "p", &mesh, NULL), CPS_OK);
  const int32_t corners[6] = {0, 1, 2, 3, 4, 5};
  assert_int_equal(mesh.uv_count, 6);
  assert_memory_equal(mesh.triangle_uvs, corners, sizeof corners);
  assert_true(mesh.uvs[11] == 0.125 * 11);
  assert_int_equal(mesh.skipped_cells, 1);  // the edge
  cps_mesh_file_free(&mesh);
  mesh = parse(VTK_TEXT);
  assert_true(mesh.uv_count == 5 && mesh.uvs[7] == 1.0 &&
              mesh.normal_count == 0);  // normals of cells are not of vertices
  cps_mesh_file_free(&mesh);
  mesh = parse(VTU_TEXT);
  assert_true(mesh.uv_count == 5 && mesh.uvs[6] == 1.0);
  cps_mesh_file_free(&mesh);
}

// Two pieces of a VTP file, one behind the other.
static void pieces_are_joined(void** state) {
  (void)state;
  static const char PIECE[] =
      "<Piece NumberOfPoints=\"3\" NumberOfVerts=\"1\" NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" "
      "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys><DataArray "
      "type=\"Int32\" "
      "Name=\"connectivity\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys></Piece>";
  char text[2000];
  snprintf(text, sizeof text, "<VTKFile type=\"PolyData\"><PolyData>%s%s</PolyData></VTKFile>", PIECE, PIECE);
  CpsMeshFile mesh = parse(text);
  const int32_t triangles[6] = {0, 1, 2, 3, 4, 5};
  assert_int_equal(mesh.vertex_count, 6);
  assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
  assert_int_equal(mesh.skipped_cells, 2);
  cps_mesh_file_free(&mesh);
}

#define VTK_GRID "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"

#define MSH_HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
static void bad_files_are_refused_with_their_place(void** state) {
  (void)state;
  static const struct {
    const char *text, *sentence;
  } CASES[] = {
      {"", "f: has no vertex; meshes are read from OBJ, PLY, legacy VTK, VTU, MSH, Medit and TetGen files"},
      {"v 0 0 0\nvt x\n", "f: line 2: a texture coordinate has one to three numbers"},
      {"v 0 0 0\nvn 1 2\n", "f: line 2: a normal has three numbers"},
      {"v 0 0 0\nvt 0 0\nf 1/1 1/2 1/1\n",
       "f: line 3: a corner of a face refers to a texture coordinate that is not defined before it"},
      {"v 0 0 0\nf 1//1 1 1\n", "f: line 2: a corner of a face refers to a normal that is not defined before it"},
      {"v 0 0 0\nf 1x 1 1\n", "f: line 2: a corner of a face is not v, v/vt, v//vn or v/vt/vn"},
      {"ply\nformat ascii 1.0\n", "f: ends inside its header"},
      {"ply\nelement vertex 1\nproperty float x\nend_header\n0\n", "f: does not name a format"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "f: the vertices have no x, y, z"},
      {"ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n0\n",
       "f: 9 elements of 'vertex' do not fit in the file"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n0\n", "f: unknown type 'half'"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\nend_header\n0 nan 1\n",
       "f: vertex 1 of 1: expected a number"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\nelement face "
       "1\nproperty list "
       "int int vertex_index\nend_header\n0 0 0\n3 0 0 1\n",
       "f: triangle 1 refers to vertex 1 (counted from 0), but the file has only 1"},
      {"# vtk DataFile Version 3.0\nt\nOCTAL\n", "f: line 3: is neither ASCII nor BINARY"},
      {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n",
       "f: DATASET STRUCTURED_GRID: only POLYDATA and UNSTRUCTURED_GRID are read"},
      {VTK_GRID "POINTS 2 float\n0 0 0 1\n", "f: line 6: POINTS: more points than fit in the file"},
      {VTK_GRID "POINTS 1 float\n0 a 0 1\n", "f: line 6: POINTS: expected a number"},
      {VTK_GRID "POINTS 1 float\n0 0 0\nCELLS 1 4\n3 0 0 0\n", "f: CELLS: there are no CELL_TYPES"},
      {VTK_GRID "POINTS 1 float\n0 0 0\nCELLS 1 4\n4 0 0 0\n",
       "f: line 8: CELLS: the cells have more vertices than declared"},
      {VTK_GRID "POINTS 1 float\n0 0 0\nCELLS 1 4\n3 0 0 7\nCELL_TYPES 1\n5\n",
       "f: triangle 1 refers to vertex 7 (counted from 0), but the file has only 1"},
      {VTK_GRID "POINTS 1 float\n0 0 0\nWINGS 2\n", "f: line 8: WINGS: is not supported"},
      {"$MeshFormat\n3 0 8\n$EndMeshFormat\n", "f: is of version 3; versions 2 and 4.1 are read (gmsh -format msh41)"},
      {MSH_HEAD "$Nodes\n1\n1 0 0 0\n", "f: $Nodes does not end"},
      {MSH_HEAD "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "f: line 7: $Nodes: expected a number"},
      {MSH_HEAD "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "f: two vertices have the tag 1"},
      {MSH_HEAD "$Elements\n0\n$EndElements\n", "f: line 5: $Elements: stands before $Nodes"},
      {MSH_HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 7\n$EndElements\n",
       "f: an element refers to vertex 7, and no vertex has that tag"},
      {MSH_HEAD "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 99 0 1\n$EndElements\n",
       "f: $Elements: an element has the unknown kind 99"},
      {"MeshVersionFormatted 1\nDimension 2\n", "f: line 2: Dimension: must be 3"},
      {"MeshVersionFormatted 1\nVertices\n1\n0 0 0 0\nTetrahedra\n1\n0 1 1 1 0\n",
       "f: line 7: Tetrahedra: vertex numbers must start at 1"},
      {"<?xml version=\"1.0\"?><a>", "f: line 1: there is no VTKFile element"},
      {"<VTKFile type=\"ImageData\">", "f: a VTKFile of type 'ImageData': only UnstructuredGrid and PolyData are read"},
      {"<VTKFile type=\"PolyData\">\n<a></b></VTKFile>", "f: line 2: is not readable XML"},
      {"<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\">",
       "f: is compressed by vtkLZ4DataCompressor; only vtkZLibDataCompressor is read"},
      {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"2\"><Points>\n<DataArray type=\"Int8\" "
       "NumberOfComponents=\"3\">1 2 "
       "3</DataArray></Points></Piece></VTKFile>",
       "f: the array in line 2 is too short for 2 points"},
      {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Int8\" "
       "NumberOfComponents=\"3\" "
       "format=\"binary\">AwAAAA</DataArray></Points></Piece></VTKFile>",
       "f: the array in line 1 is longer than its data"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    CpsMeshFile mesh = {.vertex_count = 17};
    CpsError error;
    assert_int_equal(cps_mesh_file_parse(CASES[i].text, strlen(CASES[i].text), "f", &mesh, &error), CPS_BAD_FORMAT);
    assert_string_equal(error.text, CASES[i].sentence);
    assert_int_equal(mesh.vertex_count, 17);  // untouched
  }
  CpsMeshFile mesh;
  CpsError error;
  assert_int_equal(cps_mesh_file_parse("v 0 0 0\0", 8, "f", &mesh, &error), CPS_BAD_FORMAT);
  assert_string_equal(error.text, "f: contains a zero byte");
  assert_int_equal(cps_mesh_file_parse(NULL, 1, "f", &mesh, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_mesh_file_read(NULL, &mesh, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_mesh_file_read("/nowhere.obj", &mesh, &error), CPS_FILE_ERROR);
  assert_string_equal(error.text, "/nowhere.obj: No such file or directory");
  cps_mesh_file_free(NULL);
}

// Cut off anywhere, or with any byte changed, a file is read or refused.
static void damaged_files_never_crash(void** state) {
  (void)state;
  for (int i = 0; i < SAMPLES; ++i) {
    Sample sample = get_sample(i);
    for (size_t size = 0; size < sample.size; ++size) {
      CpsMeshFile mesh = {0};
      CpsError error;
      unsigned char* exact = malloc(size + 1);
      assert_non_null(exact);
      memcpy(exact, sample.bytes, size);
      if (cps_mesh_file_parse(exact, size, "f", &mesh, &error) == CPS_OK) {
        check_sound(&mesh);
      } else {
        assert_true(strncmp(error.text, "f: ", 3) == 0);
      }
      cps_mesh_file_free(&mesh);
      free(exact);
      static const unsigned char CHANGES[] = {0x00, 0xff, '9', '-', '<', '\n'};
      for (size_t k = 0; k < sizeof CHANGES; ++k) {
        const unsigned char before = sample.bytes[size];
        sample.bytes[size] = CHANGES[k];
        if (cps_mesh_file_parse(sample.bytes, sample.size, "f", &mesh, &error) == CPS_OK) check_sound(&mesh);
        cps_mesh_file_free(&mesh);
        sample.bytes[size] = before;
      }
    }
  }
}

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// Vertices from 0 or from 1, comments, attributes and markers; either name of the pair will do.
static void pairs_of_tetgen_are_read(void** state) {
  (void)state;
  char folder[] = "/tmp/capstan-tetgen-XXXXXX", node[100], ele[100];
  assert_non_null(mkdtemp(folder));
  snprintf(node, sizeof node, "%s/a.node", folder);
  snprintf(ele, sizeof ele, "%s/a.ele", folder);
  const int32_t four[4] = {0, 1, 2, 3};
  for (int first = 0; first < 2; ++first) {
    write_text(node, first ? "# made\n4 3 1 1\n1 0 0 0 7 1\n2 1 0 0 7 1\n\n3 0 1 0 7 0 # last but one\n4 0 0 1 7 1\n"
                           : "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
    write_text(ele, first ? "1 4 1\n1 1 2 3 4 9\n" : "1 4 0\n0 0 1 2 3\n");
    for (int k = 0; k < 2; ++k) {
      CpsMeshFile mesh;
      CpsError error;
      if (cps_mesh_file_read(k ? ele : node, &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
      check_sound(&mesh);
      assert_int_equal(mesh.vertex_count, 4);
      assert_int_equal(mesh.tetrahedron_count, 1);
      assert_memory_equal(mesh.tetrahedra, four, sizeof four);
      assert_true(mesh.vertices[3].z == 1.0);
      cps_mesh_file_free(&mesh);
    }
  }
  static const struct {
    const char *node, *ele, *sentence;
  } CASES[] = {
      {"4 2 0 0\n", "", "a.node: line 1: should be COUNT 3 ATTRIBUTES MARKERS"},
      {"2 3 0 0\n0 0 0 0\n", "", "a.node: line 2: the file has fewer vertices than it declares"},
      {"2 3 0 0\n0 0 0 0\n2 0 0 0\n", "", "a.node: line 3: vertices must be numbered consecutively"},
      {"1 3 0 0\n1 0 0 0\n", "1 4 0\n1 1 1 1 0\n", "a.ele: line 2: a vertex number is below the first one"},
      {"1 3 0 0\n1 0 0 0\n", "1 5 0\n", "a.ele: line 1: should be COUNT CORNERS ATTRIBUTES, with 4 or 10 corners"},
      {"1 3 0 0\n1 0 0 0\n", "1 4 0\n1 1 1 1 2\n",
       "a.ele: tetrahedron 1 refers to vertex 1 (counted from 0), but the file has only 1"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    CpsMeshFile mesh;
    CpsError error;
    write_text(node, CASES[i].node);
    write_text(ele, CASES[i].ele);
    assert_int_equal(cps_mesh_file_read(ele, &mesh, &error), CPS_BAD_FORMAT);
    assert_true(strncmp(error.text, folder, strlen(folder)) == 0);
    assert_string_equal(error.text + strlen(folder) + 1, CASES[i].sentence);
  }
  assert_int_equal(remove(ele), 0);
  CpsMeshFile mesh;
  assert_int_equal(cps_mesh_file_read(node, &mesh, NULL), CPS_FILE_ERROR);
  assert_int_equal(remove(node), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void real_meshes_are_read(void** state) {
  (void)state;
  static const struct {
    const char* path;
    int32_t vertices, triangles, tetrahedra, uvs;
  } FILES[] = {{SHARED_DATA "/mesh/spot.obj", 2930, 5856, 0, 3225},
               {SHARED_DATA "/cloth/diffcloth_tshirt1900.obj", 1921, 3726, 0, 8177},
               {SHARED_DATA "/cloth/softy_tube_cloth.vtk", 900, 1682, 0, 0},
               {SHARED_DATA "/mesh/ipc_sphere5K.msh", 7034, 0, 27792, 0},
               {SHARED_DATA "/mesh/ipc_Armadillo13K.msh", 13230, 0, 54985, 0},
               {SHARED_DATA "/mesh/softy_box.vtk", 125, 0, 384, 0},
               {SHARED_DATA "/mesh/softy_torus_tets.vtk", 6647, 0, 28625, 0}};
  for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; ++i) {
    if (access(FILES[i].path, R_OK) != 0) {
      print_message("skipped: %s is not there\n", FILES[i].path);
      continue;
    }
    CpsMeshFile mesh;
    CpsError error;
    if (cps_mesh_file_read(FILES[i].path, &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
    check_sound(&mesh);
    assert_int_equal(mesh.vertex_count, FILES[i].vertices);
    assert_int_equal(mesh.triangle_count, FILES[i].triangles);
    assert_int_equal(mesh.tetrahedron_count, FILES[i].tetrahedra);
    assert_int_equal(mesh.uv_count, FILES[i].uvs);
    assert_int_equal(mesh.skipped_cells, 0);
    cps_mesh_file_free(&mesh);
  }
}

// Two tetrahedra of one volume each; all counted the other way round they are turned, and one alone stays inverted.
static void files_that_count_corners_the_other_way_round_are_turned(void** state) {
  (void)state;
  static const char HEAD[] =
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 0 0 "
      "-1\n"
      "CELLS 2 10\n";
  static const char* const CELLS[] = {"4 0 1 2 3 4 0 2 1 4\n", "4 0 2 1 3 4 0 1 2 4\n", "4 0 2 1 3 4 0 2 1 4\n"};
  for (int i = 0; i < 3; ++i) {
    char text[400];
    snprintf(text, sizeof text, "%s%sCELL_TYPES 2\n10 10\n", HEAD, CELLS[i]);
    CpsMeshFile mesh = parse(text);
    CpsMeshFacts facts;
    assert_int_equal(cps_mesh_file_facts(&mesh, &facts, NULL), CPS_OK);
    assert_int_equal(facts.inverted, i == 2);
    if (i < 2) assert_near(facts.volume, 1.0 / 3.0, 1e-15);  // rounding
    cps_mesh_file_free(&mesh);
  }
}

// A file with more than its reader allows is refused with a message.
static void large_files_are_refused_beyond_the_limits(void** state) {
  (void)state;
  char path[] = "/tmp/capstan-mesh-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_true(write(file, OBJ_TEXT, strlen(OBJ_TEXT)) == (ssize_t)strlen(OBJ_TEXT));
  close(file);
  CpsMeshFile mesh;
  CpsError error;
  assert_int_equal(cps_mesh_file_load(path, 1 << 20, 4, &mesh, &error), CPS_BAD_FORMAT);
  assert_non_null(strstr(error.text, ": more than 4 vertices"));
  assert_int_equal(cps_mesh_file_load(path, 20, 4, &mesh, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, ": larger than 0 MB"));
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_mesh),
      cmocka_unit_test(corners_of_obj_name_their_texture_coordinates_and_normals),
      cmocka_unit_test(polygons_become_fans_and_strips_turn_about),
      cmocka_unit_test(concave_polygons_are_cut_into_ears),
      cmocka_unit_test(values_of_vertices_and_corners_are_kept),
      cmocka_unit_test(pieces_are_joined),
      cmocka_unit_test(bad_files_are_refused_with_their_place),
      cmocka_unit_test(damaged_files_never_crash),
      cmocka_unit_test(pairs_of_tetgen_are_read),
      cmocka_unit_test(real_meshes_are_read),
      cmocka_unit_test(files_that_count_corners_the_other_way_round_are_turned),
      cmocka_unit_test(large_files_are_refused_beyond_the_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
