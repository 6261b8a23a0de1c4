// FNV-1a over bytes: the same number on every machine, for comparing and finding, not against an adversary.
#ifndef CAPSTAN_CORE_HASH_H
#define CAPSTAN_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CPS_HASH_START UINT64_C(0xcbf29ce484222325)

// Continues from `hash`; begin with CPS_HASH_START.
static inline uint64_t cps_hash_bytes(uint64_t hash, const void* bytes, size_t size) {
  const unsigned char* at = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
