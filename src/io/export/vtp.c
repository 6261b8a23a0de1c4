#include "io/export/vtp.h"

#include <inttypes.h>
#include <string.h>

static const char* const TYPES[] = {"Float32", "Float64", "Int32", "Int64", "UInt8"};

void cps_vtp_clear(CpsVtp* vtp) {
  for (int i = 0; i < CPS_VTP_PARTS; ++i) cps_grow_clear(&vtp->text[i]);
  cps_grow_clear(&vtp->data);
  vtp->points = vtp->verts = vtp->lines = vtp->polys = vtp->cells = 0;
}

void cps_vtp_free(CpsVtp* vtp) {
  for (int i = 0; i < CPS_VTP_PARTS; ++i) cps_grow_free(&vtp->text[i]);
  cps_grow_free(&vtp->data);
}

// Writes the size of the previous array, in bytes, in front of it.
static void close_array(CpsVtp* vtp) {
  if (vtp->data.size == 0 || vtp->data.failed) return;
  uint64_t size = vtp->data.size - vtp->array - sizeof size;
  memcpy(vtp->data.at + vtp->array, &size, sizeof size);
}

static void open_array(CpsVtp* vtp) {
  close_array(vtp);
  vtp->array = vtp->data.size;
  const uint64_t none = 0;
  cps_grow_add(&vtp->data, &none, sizeof none);
}

void cps_vtp_array(CpsVtp* vtp, CpsVtpPart part, const char* name, CpsVtpType type, int components, int64_t tuples) {
  open_array(vtp);
  CpsGrow* text = &vtp->text[part];
  cps_grow_print(text, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", TYPES[type], name, components);
  if (part == CPS_VTP_FIELD) cps_grow_print(text, " NumberOfTuples=\"%" PRId64 "\"", tuples);
  cps_grow_print(text, " format=\"appended\" offset=\"%zu\"/>\n", vtp->array);
}

void cps_vtp_float(CpsVtp* vtp, double value) {
  const float single = (float)value;
  cps_grow_add(&vtp->data, &single, sizeof single);
}

void cps_vtp_double(CpsVtp* vtp, double value) {
  cps_grow_add(&vtp->data, &value, sizeof value);
}

void cps_vtp_vector(CpsVtp* vtp, CpsVtpType type, const double value[3]) {
  for (int k = 0; k < 3; ++k) {
    if (type == CPS_VTP_FLOAT) {
      cps_vtp_float(vtp, value[k]);
    } else {
      cps_vtp_double(vtp, value[k]);
    }
  }
}

void cps_vtp_byte(CpsVtp* vtp, uint8_t value) {
  cps_grow_add(&vtp->data, &value, sizeof value);
}

void cps_vtp_int(CpsVtp* vtp, int32_t value) {
  cps_grow_add(&vtp->data, &value, sizeof value);
}

void cps_vtp_long(CpsVtp* vtp, int64_t value) {
  cps_grow_add(&vtp->data, &value, sizeof value);
}

void cps_vtp_names(CpsVtp* vtp, const char* name, const char* const* texts, int64_t count) {
  CpsGrow* text = &vtp->text[CPS_VTP_FIELD];
  cps_grow_print(text, "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%" PRId64 "\" format=\"ascii\">\n", name,
                 count);
  for (int64_t i = 0; i < count; ++i) {
    for (const unsigned char* at = (const unsigned char*)texts[i]; *at; ++at) cps_grow_print(text, "%d ", *at);
    cps_grow_text(text, "0\n");
  }
  cps_grow_text(text, "</Array>\n");
}

static void write_part(CpsVtp* vtp, CpsOut* out, CpsVtpPart part, const char* tag) {
  CpsGrow* text = &vtp->text[part];
  if (text->size == 0 && !text->failed) return;
  char line[40];
  cps_out_add(out, line, (size_t)snprintf(line, sizeof line, "<%s>\n", tag));
  cps_out_flush(out, text);
  cps_out_add(out, line, (size_t)snprintf(line, sizeof line, "</%s>\n", tag));
}

static void write_counts(const CpsVtp* vtp, CpsOut* out) {
  char line[320];
  int length =
      vtp->cells > 0
          ? snprintf(line, sizeof line, "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64 "\">\n",
                     vtp->points, vtp->cells)
          : snprintf(line, sizeof line,
                     "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfVerts=\"%" PRId64 "\" NumberOfLines=\"%" PRId64
                     "\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PRId64 "\">\n",
                     vtp->points, vtp->verts, vtp->lines, vtp->polys);
  cps_out_add(out, line, (size_t)length);
}

void cps_vtp_write(CpsVtp* vtp, CpsOut* out) {
  const uint16_t one = 1;
  bool little = *(const unsigned char*)&one == 1;
  const char* type = vtp->cells > 0 ? "UnstructuredGrid" : "PolyData";
  char line[320];
  close_array(vtp);
  int length = snprintf(line, sizeof line,
                        "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                        "header_type=\"UInt64\">\n<%s>\n",
                        type, little ? "LittleEndian" : "BigEndian", type);
  cps_out_add(out, line, (size_t)length);
  write_part(vtp, out, CPS_VTP_FIELD, "FieldData");
  write_counts(vtp, out);
  write_part(vtp, out, CPS_VTP_POINT_DATA, "PointData");
  write_part(vtp, out, CPS_VTP_CELL_DATA, "CellData");
  write_part(vtp, out, CPS_VTP_POINTS, "Points");
  write_part(vtp, out, CPS_VTP_VERTS, "Verts");
  write_part(vtp, out, CPS_VTP_LINES, "Lines");
  write_part(vtp, out, CPS_VTP_POLYS, "Polys");
  write_part(vtp, out, CPS_VTP_CELLS, "Cells");
  static const char LAST[] = "\n</AppendedData>\n</VTKFile>\n";
  length = snprintf(line, sizeof line, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", type);
  cps_out_add(out, line, (size_t)length);
  cps_out_flush(out, &vtp->data);
  cps_out_add(out, LAST, sizeof LAST - 1);
  cps_vtp_clear(vtp);
}
