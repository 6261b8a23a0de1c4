#include "io/export/glb.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FLOAT = 5126, UNSIGNED = 5125, COPY = 1 << 16, FLOAT_DIGITS = 9, HEADER = 12, CHUNK = 8 };

bool cps_glb_begin(CpsGlb* glb) {
  *glb = (CpsGlb){0};
  glb->numbers = tmpfile();
  return glb->numbers != NULL;
}

void cps_glb_free(CpsGlb* glb) {
  if (glb->numbers) fclose(glb->numbers);
  cps_grow_free(&glb->accessor_text);
  cps_grow_free(&glb->view_text);
  cps_grow_free(&glb->scratch);
  *glb = (CpsGlb){0};
}

// Numbers are stored in little-endian order.
static void put_u32(unsigned char* at, uint32_t value) {
  for (int k = 0; k < 4; ++k) at[k] = (unsigned char)(value >> 8 * k);
}

static void put_numbers(CpsGlb* glb, const void* values, int64_t count) {
  cps_grow_clear(&glb->scratch);
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    unsigned char bytes[4];
    memcpy(&bits, (const char*)values + 4 * i, sizeof bits);
    put_u32(bytes, bits);
    cps_grow_add(&glb->scratch, bytes, sizeof bytes);
  }
  if (glb->scratch.failed && glb->reason == 0) glb->reason = ENOMEM;
  if (glb->reason == 0 && fwrite(glb->scratch.at, 1, glb->scratch.size, glb->numbers) != glb->scratch.size) {
    glb->reason = errno ? errno : EIO;
  }
  glb->length += 4 * (uint64_t)count;
}

static void put_view(CpsGlb* glb, int64_t bytes, CpsGlbUse use) {
  cps_grow_print(&glb->view_text, "%s{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRId64,
                 glb->accessors > 0 ? "," : "", glb->length, bytes);
  if (use != CPS_GLB_PLAIN) cps_grow_print(&glb->view_text, ",\"target\":%d", (int)use);
  cps_grow_text(&glb->view_text, "}");
}

static void put_bounds(CpsGlb* glb, const float* values, int64_t count, int width) {
  double low[4], high[4];
  for (int k = 0; k < width; ++k) low[k] = high[k] = (double)values[k];
  for (int64_t i = 1; i < count; ++i) {
    for (int k = 0; k < width; ++k) {
      low[k] = fmin(low[k], (double)values[i * width + k]);
      high[k] = fmax(high[k], (double)values[i * width + k]);
    }
  }
  cps_grow_text(&glb->accessor_text, ",\"min\":");
  cps_grow_numbers(&glb->accessor_text, low, width, FLOAT_DIGITS, "[", ",", "]");
  cps_grow_text(&glb->accessor_text, ",\"max\":");
  cps_grow_numbers(&glb->accessor_text, high, width, FLOAT_DIGITS, "[", ",", "]");
}

int32_t cps_glb_floats(CpsGlb* glb, const float* values, int64_t count, int width, CpsGlbUse use, bool bounds) {
  static const char* const TYPES[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  put_view(glb, 4 * count * width, use);
  cps_grow_print(&glb->accessor_text, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%" PRId64 ",\"type\":\"%s\"",
                 glb->accessors > 0 ? "," : "", (int)glb->accessors, FLOAT, count, TYPES[width]);
  if (bounds) put_bounds(glb, values, count, width);
  cps_grow_text(&glb->accessor_text, "}");
  put_numbers(glb, values, count * width);
  return glb->accessors++;
}

int32_t cps_glb_indices(CpsGlb* glb, const uint32_t* values, int64_t count) {
  put_view(glb, 4 * count, CPS_GLB_INDICES);
  cps_grow_print(&glb->accessor_text,
                 "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%" PRId64 ",\"type\":\"SCALAR\"}",
                 glb->accessors > 0 ? "," : "", (int)glb->accessors, UNSIGNED, count);
  put_numbers(glb, values, count);
  return glb->accessors++;
}

static void copy_numbers(CpsGlb* glb, CpsOut* out) {
  char block[COPY];
  rewind(glb->numbers);
  for (uint64_t left = glb->length; left > 0 && out->reason == 0;) {
    size_t wanted = left < sizeof block ? (size_t)left : sizeof block;
    if (fread(block, 1, wanted, glb->numbers) != wanted) out->reason = EIO;
    cps_out_add(out, block, wanted);
    left -= wanted;
  }
}

void cps_glb_write(CpsGlb* glb, CpsGrow* json, CpsOut* out) {
  if (glb->accessors > 0) {
    cps_grow_text(json, ",\"accessors\":[");
    cps_grow_add(json, glb->accessor_text.at, glb->accessor_text.size);
    cps_grow_text(json, "],\"bufferViews\":[");
    cps_grow_add(json, glb->view_text.at, glb->view_text.size);
    cps_grow_print(json, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]", glb->length);
  }
  cps_grow_text(json, "}");
  while (json->size % 4 != 0 && !json->failed) cps_grow_text(json, " ");
  bool short_of_memory = json->failed || glb->accessor_text.failed || glb->view_text.failed;
  if (out->reason == 0) out->reason = short_of_memory ? ENOMEM : glb->reason;
  bool numbers = glb->accessors > 0;
  uint64_t length = HEADER + CHUNK + json->size + (numbers ? CHUNK + glb->length : 0);
  if (length > UINT32_MAX && out->reason == 0) out->reason = EFBIG;  // the format has 32-bit sizes
  unsigned char head[HEADER + CHUNK] = "glTF";
  put_u32(head + 4, 2);
  put_u32(head + 8, (uint32_t)length);
  put_u32(head + 12, (uint32_t)json->size);
  static const unsigned char JSON[4] = {'J', 'S', 'O', 'N'};
  memcpy(head + 16, JSON, sizeof JSON);
  cps_out_add(out, head, sizeof head);
  cps_out_flush(out, json);
  if (!numbers) return;
  unsigned char chunk[CHUNK] = {0, 0, 0, 0, 'B', 'I', 'N', 0};
  put_u32(chunk, (uint32_t)glb->length);
  cps_out_add(out, chunk, sizeof chunk);
  copy_numbers(glb, out);
}
