// One small mesh in every format: five vertices, two triangles, a tetrahedron and a line where the format has them.
#ifndef CAPSTAN_TESTS_MESH_SAMPLES_H
#define CAPSTAN_TESTS_MESH_SAMPLES_H

#include "capstan/mesh.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

typedef struct Sample {
  const char* name;
  unsigned char bytes[4000];
  size_t size;
  bool solid;  // with the tetrahedron and the line
} Sample;

static const double POINTS[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.5}, {0, 0, 1}};
static const int32_t TRIANGLES[6] = {0, 1, 2, 2, 1, 3};

static inline void put(Sample* sample, const void* bytes, size_t size) {
  assert_true(sample->size + size <= sizeof sample->bytes);
  memcpy(sample->bytes + sample->size, bytes, size);
  sample->size += size;
}
static inline void put_text(Sample* sample, const char* text) {
  put(sample, text, strlen(text));
}
// A number of so many bytes, the highest first or last.
static inline void put_bits(Sample* sample, uint64_t bits, int size, bool big) {
  for (int i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)(bits >> 8 * (big ? size - 1 - i : i));
    put(sample, &byte, 1);
  }
}
static inline void put_f32(Sample* sample, double x, bool big) {
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  put_bits(sample, bits, 4, big);
}
static inline void put_f64(Sample* sample, double x, bool big) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_bits(sample, bits, 8, big);
}

static const char OBJ_TEXT[] =
    "# a comment\nv 0 0 0\nv 1 0 0\nv 0 1 0\r\nv 1 1 0.5\nv 0 0 1 1.0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 0.5\nvn 0 0 1\n"
    "o thing\nusemtl x\nf 1/1/1 2/2/1 3/3/1\nf -3/3 -4/2 -2/-1\n";
static const char PLY_TEXT[] =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 5\nproperty float x\nproperty float y\nproperty float "
    "z\n"
    "property float nx\nproperty float ny\nproperty float nz\nproperty float s\nproperty float t\nelement face "
    "2\nproperty "
    "uchar flags\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 0 1 0 0\n1 0 0 0 0 1 1 0\n0 1 0 0 0 1 0 "
    "1\n"
    "1 1 0.5 0 0 1 1 1\n0 0 1 0 0 1 0 0\n7 3 0 1 2\n7 3 2 1 3\n";
static const char VTK_TEXT[] =
    "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0\n0 1 0 1 1 "
    "0.5 0 0 "
    "1\n\nCELLS 4 16\n3 0 1 2\n3 2 1 3\n4 0 1 2 4\n2 0 1\nCELL_TYPES 4\n5 5 10 3\nPOINT_DATA 5\nSCALARS s float 1\n"
    "LOOKUP_TABLE default\n1 2 3 4 5\nTEXTURE_COORDINATES t 2 float\n0 0 1 0 0 1 1 1 0 0\nFIELD f 1\nw 1 5 int\n1 2 3 "
    "4 5\n"
    "CELL_DATA 4\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\n";
static const char VTK5_TEXT[] =
    "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 1 1 0.5 0 0 1\n"
    "METADATA\nINFORMATION 0\n\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 2 1 3\n";
#define VTU_HEAD(attributes) \
  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"" attributes ">\n"
#define VTU_PIECE "<UnstructuredGrid><!-- a > comment --><Piece NumberOfPoints=\"5\" NumberOfCells='4'>\n<Points>"
#define VTU_TAIL "</Cells></Piece></UnstructuredGrid></VTKFile>\n"
static const char VTU_TEXT[] = VTU_HEAD("") VTU_PIECE
    "<DataArray type=\"Float64\" Name=\"p\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 1 1 0.5 0 0 "
    "1</DataArray>"
    "</Points>\n<PointData TCoords=\"uv\"><DataArray type=\"Float32\" Name=\"uv\" NumberOfComponents=\"2\">0 0 1 0 0 1 "
    "1 1 0 "
    "0</DataArray></PointData><Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 2 1 3 0 "
    "1 2 4 0 1"
    "</DataArray><DataArray type=\"Int64\" Name=\"offsets\">3 6 10 12</DataArray><DataArray type=\"UInt8\" "
    "Name=\"types\">5 5 10 3</DataArray>" VTU_TAIL;
static const char VTU_BASE64[] = VTU_HEAD("") VTU_PIECE
    "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">\n"
    "eAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA8D8AAAAAAAAAAAAAAAAAAPA/"
    "AAAAAAAA8D8AAAAAAADgPwAAAAAAAAAAAAAAAAAAAAAAAAAAAADwPw==\n</DataArray></Points><Cells>"
    "<DataArray type=\"Int64\" Name=\"connectivity\" "
    "format=\"binary\">YAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAD"
    "AAAAAAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAABAAAAAAAAAA==</DataArray>"
    "<DataArray type=\"Int64\" Name=\"offsets\" "
    "format=\"binary\">IAAAAAMAAAAAAAAABgAAAAAAAAAKAAAAAAAAAAwAAAAAAAAA</DataArray>"
    "<DataArray type=\"Int64\" Name=\"types\" "
    "format=\"binary\">IAAAAAUAAAAAAAAABQAAAAAAAAAKAAAAAAAAAAMAAAAAAAAA</DataArray>" VTU_TAIL;
static const char VTU_ZLIB[] = VTU_HEAD(" compressor=\"vtkZLibDataCompressor\"") VTU_PIECE
    "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">\n"
    "AQAAAACAAAB4AAAAGwAAAA==eJxjYMAHPtjjlcaQh/Fh9AMc+j/YAwAnsQcL\n</DataArray></Points><Cells>"
    "<DataArray type=\"Int64\" Name=\"connectivity\" "
    "format=\"binary\">AQAAAACAAABgAAAAGwAAAA==eJxjYIAARijNhEbDxJkZUAG6ehYc8gADoAAS"
    "</DataArray>"
    "<DataArray type=\"Int64\" Name=\"offsets\" "
    "format=\"binary\">AQAAAACAAAAgAAAAEwAAAA==eJxjZoAANijNBaV5oDQAAhAAIA==</DataArray>"
    "<DataArray type=\"Int64\" Name=\"types\" "
    "format=\"binary\">AQAAAACAAAAgAAAAEwAAAA==eJxjZYAAVijNBaWZoTQAAfAAGA==</DataArray>" VTU_TAIL;

static inline Sample text_sample(const char* name, const char* text, bool solid) {
  Sample sample = {.name = name, .solid = solid};
  put_text(&sample, text);
  return sample;
}

static inline Sample binary_ply(bool big) {
  Sample sample = {.name = big ? "big-endian PLY" : "little-endian PLY"};
  put_text(&sample, big ? "ply\nformat binary_big_endian 1.0\n" : "ply\r\nformat binary_little_endian 1.0\r\n");
  put_text(
      &sample,
      "element vertex 5\nproperty double x\nproperty double y\nproperty float z\nproperty list uchar short l\nelement "
      "odd 1\nproperty int i\nelement face 2\nproperty list uchar uint vertex_index\nproperty list uchar float "
      "texcoord\nelement edge 1\nproperty int a\nproperty int b\nend_header\n");
  for (int i = 0; i < 5; ++i) {
    put_f64(&sample, POINTS[i][0], big);
    put_f64(&sample, POINTS[i][1], big);
    put_f32(&sample, POINTS[i][2], big);
    put_bits(&sample, 1, 1, big);
    put_bits(&sample, 0x0a20, 2, big);  // looks like a blank and the end of a line
  }
  put_bits(&sample, 7, 4, big);
  for (int i = 0; i < 2; ++i) {
    put_bits(&sample, 3, 1, big);
    for (int k = 0; k < 3; ++k) put_bits(&sample, (uint64_t)TRIANGLES[3 * i + k], 4, big);
    put_bits(&sample, 6, 1, big);
    for (int k = 0; k < 6; ++k) put_f32(&sample, 0.125 * (6 * i + k), big);
  }
  put_bits(&sample, 0, 8, big);
  return sample;
}

static inline Sample binary_vtk(void) {
  Sample sample = {.name = "binary VTK", .solid = true};
  put_text(&sample, "# vtk DataFile Version 4.2\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
  for (int i = 0; i < 15; ++i) put_f32(&sample, POINTS[i / 3][i % 3], true);
  put_text(&sample, "\nCELLS 4 16\n");
  const int list[16] = {3, 0, 1, 2, 3, 2, 1, 3, 4, 0, 1, 2, 4, 2, 0, 1};
  for (int i = 0; i < 16; ++i) put_bits(&sample, (uint64_t)list[i], 4, true);
  put_text(&sample, "\nCELL_TYPES 4\n");
  const int kind[4] = {5, 5, 10, 3};
  for (int i = 0; i < 4; ++i) put_bits(&sample, (uint64_t)kind[i], 4, true);
  put_text(&sample, "\nPOINT_DATA 5\nNORMALS n double\n");
  for (int i = 0; i < 15; ++i) put_f64(&sample, i % 3 == 2, true);
  put_text(&sample, "\nFIELD f 2\na 1 9 bit\n");
  put_bits(&sample, 0x0a0a, 2, true);
  put_text(&sample, "\nb 2 1 short\n");
  put_bits(&sample, 0, 4, true);
  put_text(&sample, "\n");
  return sample;
}

static inline Sample appended_vtu(void) {
  Sample sample = {.name = "appended VTU", .solid = true};
  put_text(&sample, VTU_HEAD(" header_type=\"UInt64\"") VTU_PIECE
           "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points><Cells>"
           "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"128\"/>"
           "<DataArray type=\"UInt16\" Name=\"offsets\" format=\"appended\" offset=\"184\"/>"
           "<DataArray type=\"Int8\" Name=\"types\" format=\"appended\" offset=\"200\"></DataArray>"
           "</Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">\n _");
  put_bits(&sample, 120, 8, false);
  for (int i = 0; i < 15; ++i) put_f64(&sample, POINTS[i / 3][i % 3], false);
  const int vertex[12] = {0, 1, 2, 2, 1, 3, 0, 1, 2, 4, 0, 1}, offset[4] = {3, 6, 10, 12}, kind[4] = {5, 5, 10, 3};
  put_bits(&sample, 48, 8, false);
  for (int i = 0; i < 12; ++i) put_bits(&sample, (uint64_t)vertex[i], 4, false);
  put_bits(&sample, 8, 8, false);
  for (int i = 0; i < 4; ++i) put_bits(&sample, (uint64_t)offset[i], 2, false);
  put_bits(&sample, 4, 8, false);
  for (int i = 0; i < 4; ++i) put_bits(&sample, (uint64_t)kind[i], 1, false);
  put_text(&sample, "\n</AppendedData></VTKFile>\n");
  return sample;
}

static const char MSH2_TEXT[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"rubber $Nodes\"\n$EndPhysicalNames\n$Nodes\n5\n"
    "10 0 0 0\n11 1 0 0\n7 0 1 0\n3 1 1 0.5\n900 0 0 1\n$EndNodes\n$Elements\n4\n1 2 2 1 5 10 11 7\n2 2 0 7 11 3\n"
    "3 4 3 1 1 0 10 11 7 900\n4 1 1 8 10 11\n$EndElements\n";
static const char MSH4_TEXT[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 5 3 900\n2 1 1 2\n10\n11\n0 0 0 0.5 0.5\n1 0 0 1 0\n3 1 0 "
    "3\n7\n3\n"
    "900\n0 1 0\n1 1 0.5\n0 0 1\n$EndNodes\n$Elements\n3 4 1 4\n2 1 2 2\n1 10 11 7\n2 7 11 3\n3 1 4 1\n3 10 11 7 900\n"
    "1 1 1 1\n4 10 11\n$EndElements\n$Surface\n1\n1 2 3\n$EndSurface\n";
static const char MEDIT_TEXT[] =
    "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n1 1 0.5 1\n0 0 1 1\n"
    "Triangles\n2\n1 2 3 0\n3 2 4 0\nTetrahedra\n1\n1 2 3 5 9\nCorners\n1\n1\nEdges\n1\n1 2 0\nEnd\n";

static inline Sample binary_msh(int version, bool big) {
  Sample sample = {.name = version == 2 ? "binary MSH 2" : "binary MSH 4", .solid = true};
  const int wide = version == 2 ? 4 : 8, kind[4] = {2, 2, 4, 1}, corners[4] = {3, 3, 4, 2};
  const uint64_t vertex[4][4] = {{1, 2, 3}, {3, 2, 4}, {1, 2, 3, 5}, {1, 2}};
  put_text(&sample, version == 2 ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n4.1 1 8\n");
  put_bits(&sample, 1, 4, big);
  put_text(&sample, "\n$EndMeshFormat\n$Nodes\n");
  if (version == 2) put_text(&sample, "5\n");
  const uint64_t head[4] = {1, 5, 1, 5};
  for (int i = 0; version == 4 && i < 4; ++i) put_bits(&sample, head[i], 8, big);
  for (int i = 0; version == 4 && i < 3; ++i) put_bits(&sample, i == 0 ? 3 : 0, 4, big);
  if (version == 4) put_bits(&sample, 5, 8, big);
  for (int i = 0; version == 4 && i < 5; ++i) put_bits(&sample, (uint64_t)i + 1, 8, big);
  for (int i = 0; i < 5; ++i) {
    if (version == 2) put_bits(&sample, (uint64_t)i + 1, 4, big);
    for (int k = 0; k < 3; ++k) put_f64(&sample, POINTS[i][k], big);
  }
  put_text(&sample, "\n$EndNodes\n$Elements\n");
  if (version == 2) put_text(&sample, "4\n");
  const uint64_t counts[4] = {4, 4, 1, 4};
  for (int i = 0; version == 4 && i < 4; ++i) put_bits(&sample, counts[i], 8, big);
  for (int i = 0; i < 4; ++i) {
    if (version == 2)
      put_bits(&sample, (uint64_t)kind[i], 4, big), put_bits(&sample, 1, 4, big), put_bits(&sample, 2, 4, big);
    if (version == 4) {
      put_bits(&sample, 3, 4, big), put_bits(&sample, 1, 4, big), put_bits(&sample, (uint64_t)kind[i], 4, big);
      put_bits(&sample, 1, 8, big);
    }
    put_bits(&sample, (uint64_t)i + 1, wide, big);
    if (version == 2) put_bits(&sample, 0, 4, big), put_bits(&sample, 0, 4, big);
    for (int k = 0; k < corners[i]; ++k) put_bits(&sample, vertex[i][k], wide, big);
  }
  put_text(&sample, "\n$EndElements\n");
  return sample;
}

enum { SAMPLES = 16 };
static inline Sample get_sample(int i) {
  switch (i) {
    case 0:
      return text_sample("OBJ", OBJ_TEXT, false);
    case 1:
      return text_sample("PLY", PLY_TEXT, false);
    case 2:
      return binary_ply(false);
    case 3:
      return binary_ply(true);
    case 4:
      return text_sample("VTK", VTK_TEXT, true);
    case 5:
      return text_sample("VTK 5", VTK5_TEXT, false);
    case 6:
      return binary_vtk();
    case 7:
      return text_sample("VTU", VTU_TEXT, true);
    case 8:
      return text_sample("base64 VTU", VTU_BASE64, true);
    case 9:
      return text_sample("compressed VTU", VTU_ZLIB, true);
    case 10:
      return text_sample("MSH 2", MSH2_TEXT, true);
    case 11:
      return text_sample("MSH 4", MSH4_TEXT, true);
    case 12:
      return binary_msh(2, false);
    case 13:
      return binary_msh(4, true);
    case 14:
      return text_sample("Medit", MEDIT_TEXT, true);
    default:
      return appended_vtu();
  }
}

// What a mesh that was read must be, whatever was in the file.
static inline void check_sound(const CpsMeshFile* mesh) {
  assert_true(mesh->vertex_count > 0 && mesh->triangle_count >= 0 && mesh->tetrahedron_count >= 0);
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    assert_true(isfinite(mesh->vertices[i].x) && isfinite(mesh->vertices[i].y) && isfinite(mesh->vertices[i].z));
  }
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    assert_true(mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count);
    if (mesh->triangle_uvs) assert_true(mesh->triangle_uvs[i] >= -1 && mesh->triangle_uvs[i] < mesh->uv_count);
    if (mesh->triangle_normals) {
      assert_true(mesh->triangle_normals[i] >= -1 && mesh->triangle_normals[i] < mesh->normal_count);
    }
  }
  for (int64_t i = 0; i < 4 * (int64_t)mesh->tetrahedron_count; ++i) {
    assert_true(mesh->tetrahedra[i] >= 0 && mesh->tetrahedra[i] < mesh->vertex_count);
  }
  if (!mesh->triangle_uvs) assert_true(mesh->uv_count == 0 || mesh->uv_count == mesh->vertex_count);
  if (!mesh->triangle_normals) assert_true(mesh->normal_count == 0 || mesh->normal_count == mesh->vertex_count);
}

#endif
