"""Three workloads under SimPy 3: python3 simpy_peer.py N [check]

Each prints `name nanoseconds_per_unit statistic`.  With `check` the random
numbers are those of ns3, so the statistics have to agree with its own.
"""
import math
import random
import sys
import time

import simpy

N = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
CHECK = sys.argv[2:] == ["check"]
PENDING = 32


def exponential(seed, rate):
    """Returns a function that draws Exp(rate): Python's, or the shared one."""
    if not CHECK:
        draw = random.Random(seed).expovariate
        return lambda: draw(rate)
    state = seed

    def shared():
        nonlocal state
        state = state * 48271 % 2147483647
        return -math.log(state / 2147483647) / rate

    return shared


def mm1(env):
    """One FIFO server, arrivals at 0.9, services at 1.0, N customers."""
    server = simpy.Resource(env, capacity=1)
    arrival, service = exponential(12345, 0.9), exponential(987654321, 1.0)
    total = 0.0

    def customer():
        nonlocal total
        arrived = env.now
        with server.request() as turn:
            yield turn
            yield env.timeout(service())
        total += env.now - arrived

    def source():
        for _ in range(N):
            yield env.timeout(arrival())
            env.process(customer())

    env.process(source())
    env.run()
    return "mean_time_in_system=%.6f" % (total / N)


def pingpong(env):
    """Two processes, a Store each; a message takes 1 time unit."""
    to_ping, to_pong = simpy.Store(env), simpy.Store(env)
    rounds = 0

    def ping():
        nonlocal rounds
        for i in range(N):
            yield env.timeout(1)
            to_pong.put(i)
            yield to_ping.get()
            rounds += 1

    def pong():
        while True:
            message = yield to_pong.get()
            yield env.timeout(1)
            to_ping.put(message)

    env.process(ping())
    env.process(pong())
    env.run()
    return "rounds=%d end_time=%d" % (rounds, env.now)


def hold(env):
    """PENDING processes, each of which only waits Exp(1), N waits in all."""
    delay = exponential(55555, 1.0)
    events = 0

    def holder():
        nonlocal events
        for _ in range(N // PENDING):
            yield env.timeout(delay())
            events += 1

    for _ in range(PENDING):
        env.process(holder())
    env.run()
    return "events=%d end_time=%.6f" % (events, env.now)


for workload in mm1, pingpong, hold:
    start = time.perf_counter_ns()
    statistic = workload(simpy.Environment())
    took = time.perf_counter_ns() - start
    print("%s %.1f %s" % (workload.__name__, took / N, statistic))
