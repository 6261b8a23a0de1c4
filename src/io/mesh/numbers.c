#include "io/mesh/numbers.h"

#include <string.h>

#include "base/text_number.h"

size_t cps_numbers_size(CpsNumberType type) {
  static const size_t SIZES[CPS_NUMBER_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return SIZES[type];
}

static bool is_blank(unsigned char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static void skip_blanks(CpsNumbers* numbers) {
  for (; numbers->at < numbers->end && is_blank(*numbers->at); ++numbers->at) numbers->line += *numbers->at == '\n';
}

// The next `size` bytes as an unsigned number.
static uint64_t take_bits(CpsNumbers* numbers, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits = bits << 8 | numbers->at[numbers->big ? i : size - 1 - i];
  numbers->at += size;
  return bits;
}

static int64_t as_integer(uint64_t bits, CpsNumberType type) {
  switch (type) {
    case CPS_NUMBER_I8:
      return (int8_t)bits;
    case CPS_NUMBER_I16:
      return (int16_t)bits;
    case CPS_NUMBER_I32:
      return (int32_t)bits;
    default:
      return (int64_t)bits;  // values beyond 2^63 become negative: invalid as indices and counts
  }
}

static bool take_binary(CpsNumbers* numbers, uint64_t* bits) {
  const size_t size = cps_numbers_size(numbers->type);
  if ((size_t)(numbers->end - numbers->at) < size) return false;
  *bits = take_bits(numbers, size);
  return true;
}

// A number in text must end at a blank or at the end.
static bool ends_word(const CpsNumbers* numbers, const unsigned char* after) {
  return after <= numbers->end && (after == numbers->end || is_blank(*after) || *after == '<');
}

bool cps_numbers_double(CpsNumbers* numbers, double* x) {
  if (numbers->text) {
    skip_blanks(numbers);
    const unsigned char* after = (const unsigned char*)cps_number_read((const char*)numbers->at, x);
    if (!after || !ends_word(numbers, after)) return false;
    numbers->at = after;
    return true;
  }
  uint64_t bits;
  if (!take_binary(numbers, &bits)) return false;
  if (numbers->type == CPS_NUMBER_F64) {
    memcpy(x, &bits, sizeof *x);
  } else if (numbers->type == CPS_NUMBER_F32) {
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    *x = (double)value;
  } else {
    *x = (double)as_integer(bits, numbers->type);
  }
  return true;
}

static bool text_integer(CpsNumbers* numbers, int64_t* x) {
  skip_blanks(numbers);
  const unsigned char* c = numbers->at;
  const bool minus = *c == '-';
  if (*c == '-' || *c == '+') ++c;
  int64_t value = 0;
  int digits = 0;
  for (; *c >= '0' && *c <= '9'; ++c, ++digits) {
    if (digits == 18) return false;
    value = 10 * value + (*c - '0');
  }
  if (digits == 0 || !ends_word(numbers, c)) return false;
  numbers->at = c;
  *x = minus ? -value : value;
  return true;
}

bool cps_numbers_integer(CpsNumbers* numbers, int64_t* x) {
  if (numbers->text) return text_integer(numbers, x);
  uint64_t bits;
  if (numbers->type == CPS_NUMBER_F32 || numbers->type == CPS_NUMBER_F64 || !take_binary(numbers, &bits)) return false;
  *x = as_integer(bits, numbers->type);
  return true;
}

void cps_numbers_word(CpsNumbers* numbers, char* word, size_t size) {
  skip_blanks(numbers);
  size_t length = 0;
  for (; numbers->at < numbers->end && !is_blank(*numbers->at); ++numbers->at) {
    if (length + 1 < size) word[length++] = (char)*numbers->at;
  }
  word[length] = '\0';
}

void cps_numbers_skip_line(CpsNumbers* numbers) {
  while (numbers->at < numbers->end && *numbers->at != '\n') numbers->at++;
  if (numbers->at < numbers->end) numbers->at++;
  numbers->line++;
}

bool cps_numbers_fit(const CpsNumbers* numbers, int64_t count) {
  const uint64_t there = (uint64_t)(numbers->end - numbers->at),
                 each = numbers->text ? 2 : cps_numbers_size(numbers->type);
  if (count <= 0) return count == 0;
  // the last word of the text needs no blank
  return (uint64_t)count <= (there + (numbers->text ? 1 : 0)) / each;
}

bool cps_numbers_skip(CpsNumbers* numbers, int64_t count) {
  if (!cps_numbers_fit(numbers, count)) return false;
  if (!numbers->text) {
    numbers->at += (size_t)count * cps_numbers_size(numbers->type);
    return true;
  }
  for (int64_t i = 0; i < count; ++i) {
    char word[2];
    cps_numbers_word(numbers, word, sizeof word);
    if (!word[0]) return false;
  }
  return true;
}
