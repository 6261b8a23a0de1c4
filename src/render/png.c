// PNG by libpng, made in memory and put in place whole.
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "capstan/render.h"
#include "core/error.h"

typedef struct Bytes {
  uint8_t* items;
  size_t count, room;
} Bytes;

static void append(png_structp png, png_bytep data, size_t size) {
  Bytes* bytes = png_get_io_ptr(png);
  if (bytes->count + size > bytes->room) {
    size_t room = 2 * (bytes->count + size);
    uint8_t* items = realloc(bytes->items, room);
    if (!items) png_error(png, "out of memory");
    bytes->items = items;
    bytes->room = room;
  }
  memcpy(bytes->items + bytes->count, data, size);
  bytes->count += size;
}

static void flush(png_structp png) {
  (void)png;
}
static void warn(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}
static void fail(png_structp png, png_const_charp text) {
  (void)text;
  png_longjmp(png, 1);
}

// Returns false if memory runs out.
static bool encode(int32_t width, int32_t height, const uint8_t* rgb, Bytes* bytes) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, warn);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, bytes, append, flush);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, 9);
  png_write_info(png, info);
  for (int32_t y = 0; y < height; ++y) png_write_row(png, rgb + 3 * (size_t)y * (size_t)width);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

CpsStatus cps_image_write(const char* path, int32_t width, int32_t height, const uint8_t* rgb, CpsError* error) {
  if (!path || !rgb || width < 1 || height < 1) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_image_write: needs a path, a size and a picture");
  }
  Bytes bytes = {0};
  CpsStatus status = encode(width, height, rgb, &bytes)
                         ? cps_file_replace(path, bytes.items, bytes.count, error)
                         : cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  free(bytes.items);
  return status;
}
