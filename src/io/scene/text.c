// What was read, kept for the result: the file, included files and overrides as comments below it.
#include <string.h>

#include "io/scene/internal.h"

// Appends text without its terminator, or only counts (out NULL); returns the new length.
static size_t append(char* out, size_t length, const char* text, size_t more) {
  for (size_t i = 0; out && i < more; ++i) out[length + i] = text[i];
  return length + more;
}

// Copies text with `mark` before each line; returns its length. Only counts if out is NULL.
static size_t comment(char* out, const char* mark, const char* text) {
  size_t length = 0;
  while (*text) {
    size_t line = strcspn(text, "\n");
    length = append(out, length, mark, strlen(mark));
    length = append(out, length, text, line);
    length = append(out, length, "\n", 1);
    text += line + (text[line] == '\n');
  }
  return length;
}

static size_t comments(char* out, const CpsReader* reader, const char* const* overrides, int32_t count) {
  size_t length = 0;
#define ADD(mark, text) length += comment(out ? out + length : NULL, mark, text)
  for (const CpsSceneFile* file = reader->files; file; file = file->older) {
    ADD("# included: ", file->name);
    ADD("# ", file->text);
  }
  for (int32_t i = 0; i < count; ++i) {
    ADD("# --set ", overrides[i]);
  }
#undef ADD
  return length;
}

CpsStatus cps_scene_keep_text(CpsReader* reader, const char* text, size_t length, const char* const* overrides,
                              int32_t count) {
  size_t more = comments(NULL, reader, overrides, count);
  char* copy = CPS_TAKE(&reader->scene->memory, char, (int64_t)(length + more + 2));
  if (!copy) return cps_scene_no_memory(reader);
  memcpy(copy, text, length);
  if (length > 0 && text[length - 1] != '\n') copy[length++] = '\n';
  (void)comments(copy + length, reader, overrides, count);
  copy[length + more] = '\0';
  reader->scene->text = copy;
  return CPS_OK;
}
