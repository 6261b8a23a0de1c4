#!/usr/bin/env python3
"""usage: world.py LIBDIR   Steps a world of the shared libraries by ctypes, as docs/howto/python.md says."""
import ctypes as c
import sys

lib = c.CDLL(sys.argv[1] + "/libcapstan.so", mode=c.RTLD_GLOBAL)
io = c.CDLL(sys.argv[1] + "/libcapstan-io.so")


class Error(c.Structure):
    _fields_ = [("text", c.c_char * 256)]


class BodyId(c.Structure):
    _fields_ = [("index", c.c_int32), ("generation", c.c_uint32)]


class BodyState(c.Structure):
    _fields_ = [("position", c.c_double * 3), ("rotation", c.c_double * 4), ("velocity", c.c_double * 3),
                ("angular_velocity", c.c_double * 3), ("centre", c.c_double * 3), ("mass", c.c_double), ("user", c.c_void_p)]


lib.cps_world_body.restype = BodyId
lib.cps_world_body.argtypes = [c.c_void_p, c.c_int32]
lib.cps_world_body_state.argtypes = [c.c_void_p, BodyId, c.POINTER(BodyState)]
lib.cps_world_time.restype = c.c_double
lib.cps_world_time.argtypes = lib.cps_world_destroy.argtypes = io.cps_scene_destroy.argtypes = [c.c_void_p]
lib.cps_world_step.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(Error)]
io.cps_scene_parse.argtypes = [c.c_char_p, c.c_size_t, c.c_char_p, c.c_void_p, c.c_int32, c.c_void_p, c.POINTER(Error)]
io.cps_scene_build.argtypes = [c.c_void_p, c.c_int32, c.c_void_p, c.POINTER(Error)]

error, scene, world, state = Error(), c.c_void_p(), c.c_void_p(), BodyState()


def check(status):
    if status < 0:
        raise RuntimeError(error.text.decode())


text = b"gravity: [0, 0, -10]\ntime: {step: 10 ms}\nbodies: {ball: {sphere: {radius: 0.1}, velocity: [1, 0, 0]}}\n"
check(io.cps_scene_parse(text, len(text), b"ball.yaml", None, 0, c.byref(scene), c.byref(error)))
check(io.cps_scene_build(scene, 1, c.byref(world), c.byref(error)))
for _ in range(50):
    check(lib.cps_world_step(world, None, c.byref(error)))
check(lib.cps_world_body_state(world, lib.cps_world_body(world, 0), c.byref(state)))
t = lib.cps_world_time(world)
print(f"after {t:g} s the ball is at {state.position[0]:g} m and falls at {-state.velocity[2]:g} m/s")
assert abs(t - 0.5) < 1e-12 and abs(state.position[0] - 0.5) < 1e-12 and abs(state.velocity[2] + 5) < 1e-12

try:
    check(io.cps_scene_parse(b"bodys: {}", 9, b"wrong.yaml", None, 0, c.byref(c.c_void_p()), c.byref(error)))
    sys.exit("a wrong key was taken")
except RuntimeError as mistake:
    assert "did you mean 'bodies'" in str(mistake), mistake
lib.cps_world_destroy(world)
io.cps_scene_destroy(scene)
