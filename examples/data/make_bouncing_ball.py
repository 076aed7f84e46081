#!/usr/bin/env python3
"""Writes bouncing_ball.csv: heights of a ball as a camera might see them, with noise. The solution is written by hand.

A ball is dropped from 1.2 m, restitution 0.83, g = 9.81; 50 frames a second for 2.4 s, normal noise of 5 mm, some frames lost.
Usage: make_bouncing_ball.py > bouncing_ball.csv
"""

import math
import random

HEIGHT, E, G, SIGMA, SEED = 1.2, 0.83, 9.81, 0.005, 42


def height(t):
    since = math.sqrt(2*HEIGHT/G)
    if t < since:
        return HEIGHT - G*t*t/2
    speed = E*G*since
    while t > since + 2*speed/G:
        since, speed = since + 2*speed/G, E*speed
    return speed*(t - since) - G*(t - since)**2/2


def main():
    noise = random.Random(SEED)
    print("time,h")
    for k in range(1, 121):
        t = k/50
        value = height(t) + noise.gauss(0.0, SIGMA)
        print(f"{t:g},{value:.4f}" if noise.random() > 0.05 else f"{t:g},")


if __name__ == "__main__":
    main()
