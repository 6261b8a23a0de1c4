// Mesh files: the first byte chooses the format; the rest is the file, whole or behind a head that is sound.
#include "bytes.h"
#include "capstan/mesh.h"

#include <string.h>

enum { ROOM = 4096 };

typedef struct File {
  uint8_t bytes[ROOM];
  size_t size;
} File;

static void put(File* file, const void* bytes, size_t size) {
  if (size > ROOM - file->size) size = ROOM - file->size;
  memcpy(file->bytes + file->size, bytes, size);
  file->size += size;
}

static void put_text(File* file, const char* text) {
  put(file, text, strlen(text));
}

static void put_rest(File* file, Bytes* bytes) {
  put(file, bytes->data, bytes->left);
  bytes->left = 0;
}

// Words of a format, chosen by bytes, with numbers and other bytes between them.
static void put_words(File* file, Bytes* bytes, const char* const* words, int count) {
  while (bytes->left > 0) {
    const int choice = next_byte(bytes);
    char number[20];
    if (choice < 160) {
      put_text(file, words[choice % count]);
      put_text(file, choice % 3 ? " " : "\n");
    } else if (choice < 250) {
      snprintf(number, sizeof number, "%d%s", next_byte(bytes) - (choice < 180 ? 20 : 0), choice % 5 ? " " : "\n");
      put_text(file, number);
    } else {
      const uint8_t byte = (uint8_t)next_byte(bytes);
      put(file, &byte, 1);
    }
  }
}

static void make_obj(File* file, Bytes* bytes) {
  static const char* const WORDS[] = {"v",        "0 0 0", "\nf",  "1 2 3", "1/1", "2//1",
                                      "-1/-1/-1", "\nvt",  "\nvn", "\nl",   "1e9", "\\"};
  put_text(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n");
  put_words(file, bytes, WORDS, 12);
}

static void make_ply(File* file, Bytes* bytes) {
  static const char* const FORMATS[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  static const char* const TYPES[] = {"char",  "uchar",  "short",          "int",
                                      "float", "double", "list uchar int", "list int float"};
  static const char* const NAMES[] = {"x", "y", "z", "nx", "ny", "nz", "s", "t", "vertex_index", "texcoord", "other"};
  char line[100];
  snprintf(line, sizeof line, "ply\nformat %s 1.0\n", FORMATS[next_below(bytes, 3)]);
  put_text(file, line);
  const int elements = next_below(bytes, 4);
  for (int i = 0; i < elements; ++i) {
    static const char* const ELEMENTS[] = {"vertex", "face", "edge", "vertex"};
    snprintf(line, sizeof line, "element %s %d\n", ELEMENTS[i],
             next_below(bytes, 8) ? next_below(bytes, 6) : 1000000000);
    put_text(file, line);
    if (i == 0) put_text(file, "property char x\nproperty char y\nproperty char z\n");
    for (int k = next_below(bytes, 4); k > 0; --k) {
      snprintf(line, sizeof line, "property %s %s\n", TYPES[next_below(bytes, 8)], NAMES[next_below(bytes, 11)]);
      put_text(file, line);
    }
  }
  put_text(file, "end_header\n");
  put_rest(file, bytes);
}

static void make_vtk(File* file, Bytes* bytes) {
  static const char* const WORDS[] = {"POINTS",
                                      "3 float",
                                      "CELLS",
                                      "CELL_TYPES",
                                      "POLYGONS",
                                      "TRIANGLE_STRIPS",
                                      "LINES",
                                      "POINT_DATA",
                                      "NORMALS n float",
                                      "TEXTURE_COORDINATES t 2 float",
                                      "SCALARS s int 1\nLOOKUP_TABLE default\n",
                                      "FIELD f 1\na 1 1 int\n",
                                      "OFFSETS vtktypeint64\n",
                                      "CONNECTIVITY vtktypeint64\n",
                                      "METADATA\n",
                                      "0 0 0 1 0 0 0 1 0",
                                      "1 4\n3 0 1 2",
                                      "5",
                                      "CELL_DATA",
                                      "bit",
                                      "COLOR_SCALARS c 3",
                                      "VECTORS v double"};
  put_text(file, next_below(bytes, 2) ? "# vtk DataFile Version 5.1\nt\n" : "# vtk DataFile Version 3.0\nt\n");
  put_text(file, next_below(bytes, 2) ? "ASCII\n" : "BINARY\n");
  put_text(file, next_below(bytes, 2) ? "DATASET POLYDATA\n" : "DATASET UNSTRUCTURED_GRID\n");
  put_words(file, bytes, WORDS, 22);
}

static void make_vtu(File* file, Bytes* bytes) {
  static const char* const WORDS[] = {
      "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">",
      "</Piece>",
      "<Points>",
      "</Points>",
      "<Cells>",
      "</Cells>",
      "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0</DataArray>",
      "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>",
      "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>",
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray>",
      "<DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AQAAAAU=</DataArray>",
      "<DataArray type=\"Int32\" NumberOfComponents=\"3\" Name=\"offsets\" format=\"appended\" offset=\"4\"/>",
      "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">",
      "AQAAAACAAAAgAAAAEwAAAA==eJxjZYAAVijNBaWZoTQAAfAAGA==",
      "</DataArray>",
      "<PointData Normals=\"n\" TCoords=\"t\">",
      "</PointData>",
      "<DataArray type=\"Float32\" Name=\"t\" NumberOfComponents=\"2\">0 0 0 0 0 0</DataArray>",
      "<AppendedData encoding=\"raw\">_",
      "<AppendedData encoding=\"base64\">_",
      "</UnstructuredGrid></VTKFile>",
      "<!--",
      "-->"};
  put_text(file, "<VTKFile type=\"UnstructuredGrid\"");
  if (next_below(bytes, 2)) put_text(file, " compressor=\"vtkZLibDataCompressor\"");
  if (next_below(bytes, 2)) put_text(file, " header_type=\"UInt64\"");
  put_text(file, next_below(bytes, 2) ? " byte_order=\"BigEndian\"><UnstructuredGrid>" : "><UnstructuredGrid>");
  put_words(file, bytes, WORDS, 23);
}

static void make_msh(File* file, Bytes* bytes) {
  static const char* const WORDS[] = {"$Nodes\n",
                                      "$EndNodes\n",
                                      "$Elements\n",
                                      "$EndElements\n",
                                      "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n",
                                      "1 4 0 1 2 3 4\n",
                                      "1\n",
                                      "2 2 1 2",
                                      "1 4 1 4\n3 1 0 4\n1 2 3 4\n0 0 0 1 0 0 0 1 0 0 0 1\n",
                                      "1 1 1 1\n3 1 4 1\n",
                                      "$Entities\n",
                                      "$EndEntities\n"};
  static const char* const FORMATS[] = {"2.2 0 8\n", "4.1 0 8\n", "2.2 1 8\n", "4.1 1 8\n"};
  const int format = next_below(bytes, 4);
  put_text(file, "$MeshFormat\n");
  put_text(file, FORMATS[format]);
  const uint8_t one[4] = {1, 0, 0, 0};
  if (format > 1) put(file, one, 4);
  put_text(file, "\n$EndMeshFormat\n");
  if (format > 1 && next_below(bytes, 2)) put_text(file, format == 2 ? "$Nodes\n3\n" : "$Nodes\n");
  if (next_below(bytes, 2)) put_rest(file, bytes);
  put_words(file, bytes, WORDS, 12);
}

static void put_integer(File* file, int value, int size, bool big) {
  uint8_t byte[8] = {0};
  for (int i = 0; i < 4 && i < size; ++i) byte[big ? size - 1 - i : i] = (uint8_t)((unsigned)value >> (8 * i));
  put(file, byte, (size_t)size);
}

static void make_medit(File* file, Bytes* bytes) {
  static const char* const WORDS[] = {"Dimension 3",
                                      "Vertices",
                                      "4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n",
                                      "Triangles",
                                      "1 1 2 3 0",
                                      "Tetrahedra",
                                      "1 1 2 3 4 0",
                                      "Edges",
                                      "End",
                                      "#"};
  put_text(file, "MeshVersionFormatted 2\n");
  put_words(file, bytes, WORDS, 10);
}

// A header of either byte order, keywords with positions that may be right, and rows of small integers.
static void make_medit_binary(File* file, Bytes* bytes) {
  const bool big = next_below(bytes, 2) == 1;
  const int version = 1 + next_below(bytes, 4);
  const int words[4] = {1, version, 3, 0};
  for (int i = 0; i < 2; ++i) put_integer(file, words[i], 4, big);
  for (int k = 0; k < 4; ++k) {
    static const int KEYS[] = {3, 4, 5, 6, 7, 8, 10, 49, 54, 60};
    const int position = version >= 3 ? 8 : 4, index = version == 4 ? 8 : 4, real = version == 1 ? 4 : 8;
    const int key = KEYS[next_below(bytes, 10)], count = next_below(bytes, 6);
    put_integer(file, key, 4, big);
    const int row = key == 4 ? 3 * real + index : (key == 6 ? 4 : key == 10 ? 9 : 5) * index;
    const int body = key == 3 ? 4 : index + count * row;
    put_integer(file, next_below(bytes, 8) == 0 ? next_below(bytes, 200) : (int)file->size + position + body, position,
                big);
    if (key == 3) put_integer(file, 3, 4, big);
    for (int i = 0; key != 3 && i < body / index; ++i)
      put_integer(file, i == 0 ? count : next_below(bytes, 7), index, big);
  }
}

static void check_corners(const int32_t* corner, int32_t triangles, int32_t count, int32_t vertices) {
  CHECK(corner || count == 0 || count == vertices);
  for (int64_t i = 0; corner && i < 3 * (int64_t)triangles; ++i) CHECK(corner[i] >= -1 && corner[i] < count);
}

static void check_sound(const CpsMeshFile* mesh) {
  CHECK(mesh->vertex_count > 0 && mesh->skipped_cells >= 0);
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    CHECK(isfinite(mesh->vertices[i].x) && isfinite(mesh->vertices[i].y) && isfinite(mesh->vertices[i].z));
  }
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    CHECK(mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count);
  }
  for (int64_t i = 0; i < 4 * (int64_t)mesh->tetrahedron_count; ++i) {
    CHECK(mesh->tetrahedra[i] >= 0 && mesh->tetrahedra[i] < mesh->vertex_count);
  }
  for (int64_t i = 0; i < 2 * (int64_t)mesh->uv_count; ++i) CHECK(isfinite(mesh->uvs[i]));
  check_corners(mesh->triangle_uvs, mesh->triangle_count, mesh->uv_count, mesh->vertex_count);
  check_corners(mesh->triangle_normals, mesh->triangle_count, mesh->normal_count, mesh->vertex_count);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  static File file;
  file.size = 0;
  const int format = next_below(&bytes, 8);
  if (format == 0) make_obj(&file, &bytes);
  if (format == 1) make_ply(&file, &bytes);
  if (format == 2) make_vtk(&file, &bytes);
  if (format == 3) make_vtu(&file, &bytes);
  if (format == 4) make_msh(&file, &bytes);
  if (format == 5) make_medit(&file, &bytes);
  if (format == 6) make_medit_binary(&file, &bytes);
  put_rest(&file, &bytes);
  CpsMeshFile mesh = {0};
  CpsError error = {""};
  const CpsStatus status = cps_mesh_file_parse(file.bytes, file.size, "fuzz", &mesh, &error);
  if (status == CPS_OK) {
    CHECK(!error.text[0]);
    check_sound(&mesh);
  } else {
    CHECK(status < 0 && status != CPS_BAD_ARGUMENT && !mesh.vertices);
    CHECK(strncmp(error.text, "fuzz: ", 6) == 0 && !strchr(error.text, '\n'));
  }
  cps_mesh_file_free(&mesh);
  return 0;
}
