"""Threads that use one world."""

import threading
import time

import numpy as np
import pytest

import capstan as cps


def heap():
    world = cps.World(step=1e-3)
    world.add_obstacle(cps.plane())
    rng = np.random.default_rng(0)
    for k in range(200):
        world.add_body(cps.sphere(0.05), position=(*rng.uniform(-0.4, 0.4, 2), 0.06 + 0.11 * (k % 20)))
    world.step(20)
    return world


def test_a_step_waits_for_threads_that_read():
    # A step that began while another thread was inside a reading function moved the memory that was being read, and Python crashed.
    world, done, counts, wrong = heap(), threading.Event(), [0] * 5, []

    def repeat(k, use):
        while not done.is_set():
            try:
                use()
                counts[k] += 1
            except RuntimeError as error:
                assert "in use" in str(error)
            except Exception as error:  # any other means that what was read did not fit together
                wrong.append(error)
            time.sleep(0)

    uses = (world.step, lambda: world.contacts.point.sum(), world.save, world.problem, lambda: world.bodies.positions.sum())
    threads = [threading.Thread(target=repeat, args=pair) for pair in enumerate(uses)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 20.0  # on a busy machine it takes longer until each has had its turn
    time.sleep(1.0)
    while min(counts) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong and min(counts) >= 5


def test_callbacks_read_the_world_that_calls_them_and_change_nothing():
    world, seen = cps.World(step=1e-3), []
    world.add_obstacle(cps.plane())
    ball = world.add_body(cps.sphere(0.1), position=(0, 0, 0.2))

    def wind(t, x, v):
        seen.append((world.time, tuple(ball.position)))
        with pytest.raises(RuntimeError, match="callback"):
            world.step()
        return 0, 0, 1

    world.add_force(ball.at(), wind)
    world.step(3)
    assert len(seen) == 3 and seen[-1][0] > 0

    class Spring(cps.Model):
        dofs, q = 1, [0.1]

        def predict(self, step, q, v):
            return [[1.0]], [step.h * -q[0]]

        def energy(self, gravity, q, v):
            seen.append(world.time)  # energies are read between steps
            with pytest.raises(RuntimeError, match="callback"):
                world.step()
            return 0.5 * v[0] ** 2, 0.5 * q[0] ** 2

    world.add_model(Spring())
    before = len(seen)
    world.energy
    world.step(2)
    assert len(seen) > before


def test_views_of_contacts_are_not_made_while_steps_go_on():
    # the next step of the same call would move the memory
    world = heap()
    with pytest.raises(RuntimeError, match="contact_array"):
        world.step(3, progress=lambda info: world.contact_view("impulse"))
    seen = []
    world.step(3, progress=lambda info: seen.append(world.contact_array("impulse")))
    assert len(seen) == 3


def test_no_view_is_made_while_objects_are_added():
    # the look for views came before the world was taken, so that a view could be made in between and its memory moved
    world, done, wrong = cps.World(), threading.Event(), []
    world.add_body(cps.sphere(0.1), position=(0, 0, 1))

    def look():
        while not done.is_set():
            try:
                view = world.bodies.view("velocity")
                if len(view) != len(world.bodies):  # while there is a view, no body can be added
                    wrong.append(len(view))
                del view
            except RuntimeError:
                pass

    thread = threading.Thread(target=look)
    thread.start()
    added = 1
    for k in range(2000):
        try:
            world.add_body(cps.sphere(0.1), position=(k + 1, 0, 1))
            added += 1
        except (BufferError, RuntimeError):
            time.sleep(0)
    done.set()
    thread.join()
    assert not wrong and len(world.bodies) == added
