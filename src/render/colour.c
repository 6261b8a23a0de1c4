#include "render/colour.h"

#include <stdbool.h>
#include <string.h>

#include "render/sampling.h"

#define SHOULDER 0.75f

static float linear_of(uint32_t byte) {
  float s = (float)(byte & 0xff) / 255.0f;
  return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

CpsFloat3 cps_colour_hex(uint32_t hex) {
  return cps_float3(linear_of(hex >> 16), linear_of(hex >> 8), linear_of(hex));
}

uint8_t cps_colour_byte(float linear) {
  float x = linear > 0.0f ? linear : 0.0f;  // NaN too
  if (x > SHOULDER) x = SHOULDER + (1.0f - SHOULDER) * (1.0f - expf(-(x - SHOULDER) / (1.0f - SHOULDER)));
  float s = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
  return (uint8_t)(255.0f * cps_clampf(s, 0.0f, 1.0f) + 0.5f);
}

// Words in names of materials, and the colours they suggest.
static const struct Look {
  const char* word;
  uint32_t hex;
} looks[] = {
    {"hair", 0x6b3a1e},  {"skin", 0xd9a98a},   {"pasta", 0xe8c47a}, {"plate", 0xd5dae0},  {"steel", 0xaeb6bf},
    {"iron", 0x8a8f96},  {"hemp", 0xc2a26b},   {"rope", 0xc2a26b},  {"wood", 0xb98552},   {"bark", 0x6e5438},
    {"leaf", 0x6f9a3e},  {"stone", 0xb5ac9e},  {"brick", 0xb5583f}, {"rubber", 0x4a4d52}, {"glass", 0xbcd6dc},
    {"paper", 0xece6d8}, {"cotton", 0xe6e1d6}, {"wire", 0xb87a4b},  {"ice", 0xc9e3ee},
};

CpsFloat3 cps_colour_material(const char* name, CpsPaletteKind kind, int32_t number) {
  for (size_t i = 0; i < sizeof looks / sizeof looks[0]; ++i) {
    if (strstr(name, looks[i].word)) return cps_colour_hex(looks[i].hex);
  }
  return cps_colour_hex(cps_palette_colour(kind, number));
}

CpsFloat3 cps_colour_vary(CpsFloat3 colour, uint32_t number, float amount) {
  float u = cps_unit_float(cps_mix(number + 0x51ed27u));
  return cps_float3_scale(1.0f + amount * (2.0f * u - 1.0f), colour);
}

// OKLab to linear RGB (Ottosson 2020).
static CpsFloat3 from_oklab(float L, float a, float b) {
  float l = L + 0.3963377774f * a + 0.2158037573f * b;
  float m = L - 0.1055613458f * a - 0.0638541728f * b;
  float s = L - 0.0894841775f * a - 1.2914855480f * b;
  l *= l * l;
  m *= m * m;
  s *= s * s;
  return cps_float3(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                    -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                    -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
}

static bool in_gamut(CpsFloat3 c) {
  return c.x >= 0.0f && c.x <= 1.0f && c.y >= 0.0f && c.y <= 1.0f && c.z >= 0.0f && c.z <= 1.0f;
}

CpsFloat3 cps_colour_scale(float t) {
  t = cps_clampf(t, 0.0f, 1.0f);
  float L = 0.32f + 0.58f * t, chroma = 0.17f, hue = 5.15f - 3.30f * t;
  CpsFloat3 c = from_oklab(L, chroma * cosf(hue), chroma * sinf(hue));
  // as saturated as a screen can show
  while (!in_gamut(c) && chroma > 0.01f) {
    chroma -= 0.002f;
    c = from_oklab(L, chroma * cosf(hue), chroma * sinf(hue));
  }
  return c;
}
