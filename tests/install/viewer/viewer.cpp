// An engine in C++: a world from a scene, a step, and a picture of it without any file in between.
#include <capstan/capstan.h>
#include <capstan/render.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

namespace {
template <auto destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};
template <typename T, auto destroy>
using Owned = std::unique_ptr<T, Destroyer<destroy>>;

int fail(const CpsError& error) {
  std::fprintf(stderr, "%s\n", error.text);
  return 1;
}
}  // namespace

int main() {
  constexpr std::string_view text = "bodies: {ball: {sphere: {radius: 0.1}}}\ntime: {step: 1 ms}\n";
  CpsError error{};
  CpsScene* scene = nullptr;
  if (cps_scene_parse(text.data(), text.size(), "ball.yaml", nullptr, 0, &scene, &error) != CPS_OK) return fail(error);
  const Owned<CpsScene, cps_scene_destroy> own_scene(scene);
  CpsWorld* world = nullptr;
  if (cps_scene_build(scene, 1, &world, &error) != CPS_OK) return fail(error);
  const Owned<CpsWorld, cps_world_destroy> own_world(world);
  if (cps_world_step(world, nullptr, &error) != CPS_OK) return fail(error);
  CpsShow* show = nullptr;
  if (cps_show_world(scene, world, &show, &error) != CPS_OK) return fail(error);
  const Owned<CpsShow, cps_show_destroy> own_show(show);
  CpsRenderOptions options = cps_render_options_default();
  options.width = options.height = 32;
  CpsRender* render = nullptr;
  if (cps_render_create(show, &options, &render, &error) != CPS_OK) return fail(error);
  const Owned<CpsRender, cps_render_destroy> own_render(render);
  std::vector<unsigned char> rgb(3 * 32 * 32);
  if (cps_render_frame(render, 0, rgb.data(), &error) != CPS_OK) return fail(error);
  const int centre = rgb[3 * (16 * 32 + 16)], corner = rgb[0];
  std::printf("a ball of %d before %d\n", centre, corner);
  return centre < corner ? 0 : 1;
}
