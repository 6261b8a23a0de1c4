// Sequences of numbers, as text or as bytes.
#ifndef CAPSTAN_IO_MESH_NUMBERS_H
#define CAPSTAN_IO_MESH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CpsNumberType {
  CPS_NUMBER_I8,
  CPS_NUMBER_U8,
  CPS_NUMBER_I16,
  CPS_NUMBER_U16,
  CPS_NUMBER_I32,
  CPS_NUMBER_U32,
  CPS_NUMBER_I64,
  CPS_NUMBER_U64,
  CPS_NUMBER_F32,
  CPS_NUMBER_F64,
  CPS_NUMBER_TYPES
} CpsNumberType;

size_t cps_numbers_size(CpsNumberType type);

// The reading position. Text ends with a zero byte.
typedef struct CpsNumbers {
  const unsigned char *at, *end;
  CpsNumberType type;
  bool text;     // words with white space between them
  bool big;      // bytes: the first one of a number is the highest
  int64_t line;  // text: from 1
} CpsNumbers;

// The next number. False at the end, for anything that is not a number, and for a non-integer if the type is an integer.
bool cps_numbers_double(CpsNumbers* numbers, double* x);
bool cps_numbers_integer(CpsNumbers* numbers, int64_t* x);
// The next word of text, cut to size - 1; "" at the end.
void cps_numbers_word(CpsNumbers* numbers, char* word, size_t size);
// Skips to the next line.
void cps_numbers_skip_line(CpsNumbers* numbers);
// Whether the rest is long enough for `count` more numbers: a digit and a blank each in text. Reads nothing.
bool cps_numbers_fit(const CpsNumbers* numbers, int64_t count);
// Skips `count` numbers. False if the input ends before.
bool cps_numbers_skip(CpsNumbers* numbers, int64_t count);

#endif
