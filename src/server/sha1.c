// SHA-1 of short texts (FIPS 180-4, section 6.1).
#include "server/sha1.h"

#include <string.h>

enum { BLOCK = 64, LENGTH = 8 };

static uint32_t turn(uint32_t x, int by) {
  return x << by | x >> (32 - by);
}

static void add_block(const unsigned char* at, uint32_t h[5]) {
  uint32_t w[80];
  for (int t = 0; t < 16; ++t, at += 4) {
    w[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (int t = 16; t < 80; ++t) w[t] = turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (int t = 0; t < 80; ++t) {
    static const uint32_t K[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t choose = (b & c) | (~b & d), parity = b ^ c ^ d, majority = (b & c) | (b & d) | (c & d);
    uint32_t f = t < 20 ? choose : t / 20 == 2 ? majority : parity;
    uint32_t next = turn(a, 5) + f + e + K[t / 20] + w[t];
    e = d, d = c, c = turn(b, 30), b = a, a = next;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

void cps_sha1(const void* bytes, size_t size, unsigned char digest[CPS_SHA1_SIZE]) {
  unsigned char blocks[2 * BLOCK] = {0};
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  if (size > CPS_SHA1_MOST) size = CPS_SHA1_MOST;
  memcpy(blocks, bytes, size);
  blocks[size] = 0x80;
  size_t end = size + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
  blocks[end - 2] = (unsigned char)(size * 8 >> 8);
  blocks[end - 1] = (unsigned char)(size * 8);
  for (size_t at = 0; at < end; at += BLOCK) add_block(blocks + at, h);
  for (int i = 0; i < CPS_SHA1_SIZE; ++i) digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}
