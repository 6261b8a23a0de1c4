// Parts of scenes with things of all kinds: obstacles that carry and move, bodies, a compound, ropes and a tree.
#ifndef CAPSTAN_TESTS_IO_MIXED_SCENE_H
#define CAPSTAN_TESTS_IO_MIXED_SCENE_H

#define MIXED_OBSTACLES                                                                                        \
  "obstacles:\n"                                                                                               \
  "  floor: {plane: {}}\n"                                                                                     \
  "  ramp: {box: {size: [4, 4, 0.1]}, material: oak, position: [0, 0, 0.05], surface_velocity: [0.2, 0, 0]}\n" \
  "  rail: {tube: {points: [[5, 0, 0], [6, 0, 0]], radius: 1 cm}, motion: {velocity: [0, 0, 1]}}\n"

#define MIXED_BODIES                                                                                   \
  "bodies:\n"                                                                                          \
  "  ball: {sphere: {radius: 0.1}, position: [0, 0, 0.199], velocity: [0.3, 0.1, 0], material: oak}\n" \
  "  upper: {sphere: {radius: 0.1}, position: [0.02, 0, 0.398]}\n"

#define MIXED_BRICK                           \
  "  brick:\n"                                \
  "    position: [1, 0, 0.13]\n"              \
  "    compound:\n"                           \
  "      - {box: {size: [0.2, 0.1, 0.05]}}\n" \
  "      - {capsule: {radius: 0.02, length: 0.1}, position: [0, 0, 0.06]}\n"

// Three ropes, and a tree of the given name.
#define MIXED_FIBRES(tree)                                                                                     \
  "fibres:\n"                                                                                                  \
  "  ropes: {model: der, elements: 5, length: 0.3, radius: 4 mm, young: 1 MPa, position: [0.5, 0.5, 0.102],\n" \
  "          direction: [1, 0, 0], material: hemp, bundle: {count: 3, spacing: 8.1 mm}}\n"                     \
  "  " tree                                                                                                    \
  ": {model: super-helix-recursive, elements: 4, length: 1, position: [3, 3, 1], root: clamped,\n"             \
  "    branches: [{at: 1, length: 0.5, radius: 1 mm, elements: 3, rotation: {axis: [0, 0, 1], angle: 90 deg}}]}\n"

#endif
