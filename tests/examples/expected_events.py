"""What the example models with events must show. Values with a formula are exact; the others come from
tests/support/problems/event_references.py (DOP853 at 1e-13, sliding in closed form), which agrees with the event points printed by the
sources: DISODE45 problem 1, Wunderlich's exact exits.

Each run: "options" of the command line; "status" and "reason" if not success; "kinds" of events to compare (others are not looked at);
"times" of these events in order, with "within" as the largest difference; "count" instead of times; "final" values (value, allowed);
"invariants" (largest variation over all rows)."""

import math

PI = math.pi


def relay_feedback_times():
    """Leave and enter alternate; the first stretch slides from the start."""
    return [0.859359111446, 1.091349663358, 1.114377565326, 1.339036657735, 1.374800532460, 1.587522043618, 1.665569584886,
            1.841329920149, 3.082958399702, 3.332524297025, 3.334743181598, 3.577377270478, 3.586928856516, 3.824512576932,
            3.839986968700, 4.071987144454, 4.095000819964, 4.319673633800, 4.355409071168, 4.568156435009, 4.646029272300,
            4.821947332476, 6.063889120922, 6.313454042108, 6.315673918249, 6.558307664994, 6.567859631799, 6.805443012505,
            6.820917826463, 7.052917592526, 7.075931873558, 7.300604103353, 7.336340750678, 7.549087014466, 7.626967268369,
            7.802878635673, 9.044807071842, 9.294372034489, 9.296591868514, 9.539225629794, 9.548777580422, 9.786360975560,
            9.801835771582, 10.033835555050, 10.056849810359, 10.281522064965, 10.317258660886, 10.530004971409, 10.607884910194,
            10.783796561871, 12.025725565259, 12.275290526144, 12.277510361959, 12.520144122621, 12.529696073937]


def ball_times(e=0.8, n=20):
    first = math.sqrt(2/9.81)
    return [first*(1 + 2*sum(e**k for k in range(1, i))) for i in range(1, n + 1)]


def sampled_values():
    """x and u after 50 periods: exact between samples."""
    x = u = integral = 0.0
    decay = math.exp(-0.1)
    for _ in range(50):
        integral += 0.1*(1 - x)
        u = 2*(1 - x) + 4*integral
        x = u + (x - u)*decay
    integral += 0.1*(1 - x)
    return x, 2*(1 - x) + 4*integral


def threshold_times(p=2.9):
    """Roots of x^3 - 5x^2 + 7x = p by bisection, times from the exponentials between them."""
    def root(a, b):
        def h(x):
            return x**3 - 5*x**2 + 7*x - p
        for _ in range(200):
            middle = (a + b)/2
            a, b = (middle, b) if h(a)*h(middle) > 0 else (a, middle)
        return (a + b)/2
    r1, r2, r3 = root(0, 1), root(1, 7/3), root(7/3, 4)
    t1 = -math.log((4 - r1)/4)
    t2 = t1 + math.log((5 - r1)/(5 - r2))/2
    t3 = t2 + math.log((4 - r2)/(4 - r3))
    return [t1, t2, t3], 5 - (5 - r3)*math.exp(-2*(3 - t3))


def wheel_velocity():
    return math.cos(PI/4)*math.sqrt(4*9.81*math.sin(PI/8)*math.sin(0.15))/math.sin(PI/4)


SLIDING = ["slide_enter", "slide_exit"]
SAMPLED = sampled_values()
THRESHOLD = threshold_times()

RUNS = {
    "filippov_cycle.mo": [
        {"kinds": ["condition", *SLIDING], "within": 3e-6,
         "times": [0.723192540002, 1.496487398081, 11.083377435223, 16.059329037987, 19.893600856544, 24.869552459308, 28.703824277865],
         "final": {"y1": (1.187119498249, 1e-6), "y2": (0.728405216384, 1e-6)}}],
    "structural_pounding.mo": [
        {"final": {"y": (-0.009262519821473, 1e-6), "v": (0.140098436122054, 1e-6)}, "guard": "y - gap", "kinds": ["condition"], "within": 1e-6,
         "times": [0.400664756134, 0.417245728742, 0.838484367555, 0.854389921411, 1.281876571795, 1.297836666697,
                   1.730749440686, 1.746758180164, 2.179904134163, 2.195913203885, 2.628720925781, 2.644726931478]}],
    "relay_feedback.mo": [
        {"options": ["--tolerance", tolerance], "kinds": SLIDING, "times": [0.0, *relay_feedback_times()], "within": within,
         "final": {"y1": (0.0014140416428, within), "y2": (1.0747350976337, within), "y3": (0.3191223886974, within)}}
        for tolerance, within in (("1e-3", 1e-1), ("1e-5", 2e-3), ("1e-8", 2e-6))],
    "two_masses_with_friction.mo": [
        {"kinds": ["condition", *SLIDING], "within": 5e-6,
         "times": [1.052478819128, 1.277292667360, 2.061102560252, 2.287834158601, 3.337920923050, 3.601161367378, 4.444080531436,
                   4.525605416929, 5.552968414609, 5.943251431929, 6.497070286416, 6.754632921083, 7.633580741831, 8.825923432708,
                   9.097358518980, 9.295495083911, 9.604495196526, 10.819728308718], "skip_start": True,
         "final": {"y1": (-0.4682060438923, 1e-6), "y2": (-0.0595369115936, 1e-6), "v1": (0, 1e-14), "v2": (0, 1e-14)}}],
    "stick_slip.mo": [
        {"kinds": SLIDING, "within": 1e-7,
         "times": [0.0, math.asin(0.8), 2.887003905981, PI + math.asin(0.8), 6.028596559571, 2*PI + math.asin(0.8), 9.170189213160],
         "final": {"p1": (6.365907816755, 1e-7), "p2": (6.178113294134, 1e-7), "v1": (0.919535764538, 1e-7), "v2": (0.919535764538, 1e-7)}}],
    "stick_slip_hysteresis.saltus": [
        {"kinds": ["transition"], "count": 395, "final": {"v1": (0.9195357645382, 3e-3)}},
        {"options": ["--sliding", "hysteresis"], "kinds": ["transition", *SLIDING], "within": 1e-4,
         "times": [0.0038, math.asin(0.8), 2.8925, PI + math.asin(0.8), 6.0340, 2*PI + math.asin(0.8), 9.1756]}],
    "belt.mo": [
        {"kinds": SLIDING, "within": 1e-6,
         "times": [0.267581203902, 1.808917375775, 4.448860117028, 6.955507716842, 9.595450458095, 12.102098057909, 14.742040799163],
         "final": {"x": (-0.116404346462, 1e-7), "v": (0.2, 1e-14)}}],
    "belt_hysteresis.saltus": [
        {"kinds": ["transition"], "count": (2380, 2580)},
        {"options": ["--sliding", "hysteresis", "--set", "eps=1e-5"], "kinds": ["transition", *SLIDING], "within": 2e-5,
         "times": [0.267581203902, 1.808917375775, 4.448860117028, 6.955507716842, 9.595450458095, 12.102098057909, 14.742040799163]}],
    # Times and end of radau5 and dopri5 for all modes at 1e-12, which agree in twelve digits.
    "hammer_pad.saltus": [
        {"kinds": ["transition"], "count": 21, "within": 1e-6, "final": {"h": (-0.002781814667, 1e-8), "v": (0.02640849158, 1e-6)}},
        {"options": ["--method", "auto"], "kinds": ["transition"], "count": 21, "final": {"h": (-0.002781814667, 1e-8)}},
        {"options": ["--method", "pad=bdf", "--stop", "1"], "kinds": ["transition"], "within": 1e-6, "times": [0.4515236409857, 0.5026195978735]}],
    "thermostat.saltus": [
        {"kinds": ["transition"], "times": [10*math.log(1/0.9) + k*10*math.log(11/9) for k in range(15)], "within": 1e-7}],
    "bouncing_ball.mo": [
        {"status": "terminated", "kinds": ["when"], "times": [*ball_times(), ball_times()[-1]], "within": 1e-9,
         "final": {"bounces": (20, 0), "v": (0.8**20*math.sqrt(2*9.81), 1e-9)}},
        {"options": ["--set", "last=1000"], "kinds": ["zeno"], "times": [math.sqrt(2/9.81)*9], "within": 1e-5, "final": {"h": (0, 1e-12), "v": (0, 1e-12)}},
        {"options": ["--set", "last=1000", "--zeno", "stop"], "status": "stopped", "reason": "zeno", "kinds": ["zeno"], "times": [math.sqrt(2/9.81)*9], "within": 1e-5}],
    "bouncing_balls.mo": [
        {"kinds": ["condition"], "count": 1200},
        {"options": ["--concurrency", "1e-7,1e-6"], "kinds": ["condition"], "count": 1200}],
    "marble_jar.mo": [{"invariants": {"energy": 1e-3}}, {"options": ["--set", "n=8"], "invariants": {"energy": 2e-3}}],
    "relay_oscillator.mo": [
        {"kinds": ["condition"], "times": [2*k + 1.0 for k in range(10)], "within": 1e-12, "final": {"x": (0.5, 1e-11), "v": (0, 1e-11)}}],
    "rimless_wheel.mo": [{"final": {"after": (wheel_velocity(), 1e-7)}}],
    "water_tanks.saltus": [{"status": "stopped", "reason": "zeno", "kinds": ["zeno"], "times": [5/3], "within": 1e-5}],
    "two_tanks.mo": [
        # The flow begins as a square root, without a bounded derivative: a finer tolerance than the model's own.
        {"options": ["--tolerance", "1e-10"], "kinds": ["when"], "within": 1e-5,
         "times": [80.556947536, 114.176643770, 143.033789905, 180.170014711, 207.167214730, 280.972137486, 304.900710478,
                   390.910955008, 414.351233375, 498.495146739],
         "final": {"h1": (0.407418783203, 1e-6), "h2": (0.362263589434, 1e-6)}}],
    "twisting.mo": [{"final": {"x": (0, 1e-12), "v": (0, 1e-12)}}],
    "friction_blocks.mo": [
        {"final": {"x[1]": (0.098308170194, 1e-6), "x[10]": (0.079695699323, 1e-6), "x[15]": (0.087700014357, 1e-6), "x[20]": (0.127156634355, 1e-6),
                   "v[1]": (0, 1e-14), "v[10]": (0, 1e-14), "v[20]": (0, 1e-14)}, "invariants": {"energy": 1e-6}}],
    "sampled_controller.mo": [
        {"kinds": ["time"], "times": [k*0.1 for k in range(51)], "within": 0, "final": {"x": (SAMPLED[0], 1e-7), "u": (SAMPLED[1], 1e-6)}}],
    "rectifier.saltus": [
        {"kinds": ["transition"], "within": 1e-8,
         "times": [0.005, 0.006671240590, 0.015, 0.017558605514, 0.025, 0.027912062460, 0.035, 0.038077317349, 0.045, 0.048158110931],
         "final": {"i1": (0, 1e-12), "i2": (3.8103307530057, 1e-6)}}],
    "threshold.mo": [{"kinds": ["condition"], "times": THRESHOLD[0], "within": 1e-7, "final": {"x": (THRESHOLD[1], 1e-7)}}],
    "colliding_pendulums.mo": [
        {"kinds": ["when"], "times": [PI/4 + k*PI/2 for k in range(6)], "within": 1e-7,
         "final": {"x1": (-0.280608379946, 1e-6), "v1": (1.255532216474, 1e-6), "x2": (-0.063736840934, 1e-6), "v2": (0.285179142490, 1e-6)}}],
}
