"""The step sizes: when each learner of the lectures moves, and how far. The only thing in which they differ.

Plain Python that the build also compiles, as `_formulas`, like core.py; _formulas.pxd gives it types.
"""

try:
    import cython
except ImportError:
    from rosenblatt.engine import uncompiled as cython

if not cython.compiled:
    from math import exp

    from rosenblatt.engine.vector import digest

    # The compiled module has the same numbers from _formulas.pxd.
    PERCEPTRON, MIRA, PA1, PA2, LOGISTIC, WIDROW_HOFF, AROW = range(7)  # kinds of rule
    CONSTANT, PER_UPDATE, PER_EXAMPLE, STABLE, POWER = range(5)  # schedules of the rate


class Formula:
    """One learner's formula: when to move, and how far."""

    def __init__(
        self, kind, threshold, rate=1.0, schedule=CONSTANT, C=1.0, l2=0.0, epsilon=0.0, offset=0.0, power=1.0, r=1.0
    ):
        self.kind = kind
        self.schedule = schedule
        self.rate = rate
        self.threshold = threshold
        self.C = C
        self.l2 = l2
        self.epsilon = epsilon  # errors of a regression that are none
        self.offset = offset  # of the schedule POWER
        self.power = power
        self.r = r  # of AROW
        self.divides = kind in (MIRA, PA1, PA2)  # by |x|², which must not be 0

    def moves(self, margin):
        """Does an example with this margin change the weights?"""
        # A zero margin counts as a mistake: otherwise w = 0 would never move.
        return margin < self.threshold or margin <= 0

    def rate_at(self, update, example):
        """The learning rate of this update and example, both counted from 1; STABLE is then divided by the largest |x|²."""
        if self.schedule == PER_UPDATE:
            return self.rate / update
        if self.schedule == PER_EXAMPLE:
            return self.rate / example
        if self.schedule == POWER:
            return self.rate / (self.offset + example) ** self.power
        return self.rate

    def tau(self, margin, norm2, rate):
        """How far to move along y x; of AROW along y Σx, `norm2` being x'Σx."""
        if not self.moves(margin):
            return 0.0
        if self.kind == PERCEPTRON:
            return rate
        if self.kind == MIRA:
            return (1 - margin) / norm2
        if self.kind == PA1:
            return min(self.C, (1 - margin) / norm2)
        if self.kind == PA2:
            return (1 - margin) / (norm2 + 1 / (2 * self.C))
        if self.kind == LOGISTIC:
            return rate * sigmoid(-margin)
        if self.kind == AROW:
            return (1 - margin) / (norm2 + self.r)
        return rate * (1 - margin)  # Widrow-Hoff

    def weighted_tau(self, margin, norm2, rate, importance):
        """The same for an example of this importance."""
        if self.kind == AROW:  # r is the noise of an example: one of importance 2 has half of it, as two alike together
            return (1 - margin) / (norm2 + self.r / importance)
        tau = importance * self.tau(margin, norm2, rate)
        if importance > 1 and self.kind in (MIRA, PA1, PA2):  # a weight never carries a step past margin 1
            tau = min(tau, (1 - margin) / norm2)
        return tau

    def pull(self, error, norm2, rate, importance):
        """A regression: how far to move along x, `error` being y − w·x − b."""
        if self.kind == WIDROW_HOFF:
            return importance * rate * error
        loss = max(abs(error) - self.epsilon, 0.0)
        tau = min(self.C, loss / norm2) if self.kind == PA1 else loss / (norm2 + 1 / (2 * self.C))
        tau = min(importance * tau, loss / norm2)  # a weight never carries a step past the target
        return tau if error > 0 else -tau

    def first_move(self, margins, start):
        """The first place from `start` on whose margin changes the weights; the number of margins if none does."""
        for k in range(start, margins.shape[0]):
            if self.moves(margins[k]):
                return k
        return margins.shape[0]


def sigmoid(z):
    """σ(z) = 1 / (1 + e^−z), without overflow."""
    if z < 0:
        return exp(z) / (1 + exp(z))
    return 1 / (1 + exp(-z))


def source_digest():
    """SHA-256 of the sources that this module was compiled from; empty uncompiled."""
    return digest()
