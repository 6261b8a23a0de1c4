// UTF-8, for writers of formats that insist on it; file names and titles may hold any bytes.
#ifndef CAPSTAN_CORE_UTF8_H
#define CAPSTAN_CORE_UTF8_H

// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none.
static inline int cps_utf8_length(const unsigned char* at) {
  int length = at[0] < 0x80             ? 1
               : (at[0] & 0xe0) == 0xc0 ? 2
               : (at[0] & 0xf0) == 0xe0 ? 3
               : (at[0] & 0xf8) == 0xf0 ? 4
                                        : 0;
  for (int i = 1; i < length; ++i) {
    if ((at[i] & 0xc0) != 0x80) return 0;
  }
  if (length == 2 && at[0] < 0xc2) return 0;
  if (length == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f))) return 0;
  if (length == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || at[0] > 0xf4 || (at[0] == 0xf4 && at[1] > 0x8f))) return 0;
  return length;
}

#endif
