# The column of bench-grains-balls in Yade, an explicit code of elastic spheres.
#
# Reads balls.txt (x y z radius of each ball, written by bench-grains-balls), mirrors the balls at the wall y = 0, which makes twice as many
# in a box twice as deep, takes the wall at x = WIDTH away, and prints the processor time and within which distance 90 % and 99 % are of the balls
# that have left the foot of the column, less the foot and relative to it.
#
# usage: yade -n -x -j1 bench/grains/yade.py BALLS.txt [YOUNG'S MODULUS, Pa [END, s]]
import math
import sys
import time

from yade import *
from yade import utils

WIDTH, MU, DENSITY, THICK, ROUGH = 0.1, 0.5, 2600.0, 6, 6  # as in bench/grains/balls.c
# Contacts lose energy, as those of bench-grains-balls do, whose restitution is 0. (Damping of all motion, Yade's default, also slows what falls:
# with 0.2 the run-out of 2000 balls was 0.99 widths.)
RESTITUTION = 0.1
young = float(sys.argv[2]) if len(sys.argv) > 2 else 1e6
end = float(sys.argv[3]) if len(sys.argv) > 3 else 0.66

with open(sys.argv[1]) as file:
    balls = [tuple(map(float, line.split())) for line in file]
# as bench-grains-balls lays them: a box of THICK diameters
diameter = math.sqrt(0.6 * THICK * 6.0 / math.pi * WIDTH * WIDTH / len(balls))
depth = THICK * diameter

rough = O.materials.append(FrictMat(young=young, poisson=0.3, frictionAngle=math.atan(MU), density=DENSITY))
smooth = O.materials.append(FrictMat(young=young, poisson=0.3, frictionAngle=0.0, density=DENSITY))
moving = []
for x, y, z, r in balls:
    for side in (1.0, -1.0):
        moving.append(O.bodies.append(utils.sphere((x, side * y, z), r, material=rough)))
for i in range(int(ROUGH * WIDTH / diameter)):
    for k in range(-THICK, THICK):
        place = ((i + 0.5) * diameter, (k + 0.5) * diameter, 0.0)
        O.bodies.append(utils.sphere(place, 0.5 * diameter, fixed=True, material=rough))
O.bodies.append(utils.wall(0.0, axis=2, sense=1, material=rough))
O.bodies.append(utils.wall(0.0, axis=0, sense=1, material=smooth))
O.bodies.append(utils.wall(-depth, axis=1, sense=1, material=smooth))
O.bodies.append(utils.wall(depth, axis=1, sense=-1, material=smooth))

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.1 * diameter),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [Ip2_FrictMat_FrictMat_MindlinPhys(en=RESTITUTION, es=RESTITUTION)],
        [Law2_ScGeom_MindlinPhys_Mindlin()],
    ),
    NewtonIntegrator(gravity=(0, 0, -9.81), damping=0.0),
]
O.dt = 0.5 * utils.PWaveTimeStep()
steps = int(math.ceil(end / O.dt))
before = time.process_time()
O.run(steps, True)
seconds = time.process_time() - before

beyond = sorted(x for x in (O.bodies[i].state.pos[0] for i in moving) if x > WIDTH)
runout = [beyond[int(part * len(beyond))] / WIDTH - 1.0 for part in (0.9, 0.99)]
print("%d balls, Young's modulus %.2g Pa, %d steps of %.2g s" % (len(moving), young, steps, O.dt))
print("run-out of 90 %%: %.3f, of 99 %%: %.3f widths; processor time %.1f s" % (runout[0], runout[1], seconds))
