"""The engine: THE loop, and scoring.

Every learner of the lectures is this loop and one small formula:

    for (x, y) in order:
        margin = y (w·x + b)
        tau    = rule(margin, |x|²)          # the only thing in which the learners differ: formulas.py
        if tau:  w += tau y x ;  b += tau y ;  log (t, i, tau)

A rule of second order, AROW, has x'Σx in the place of |x|² and moves along Σx, and Σ shrinks.

This file is plain Python. The build also compiles it, under the name `_core`: there the verbs on rows
(`seek`, `score_…`, `add`, `norm2`, `variance`, `is_zero`) come from vector.h, here from vector.py, and everything else is
this text; _core.pxd gives it types.
"""

try:
    import cython
except ImportError:
    from rosenblatt.engine import uncompiled as cython

if not cython.compiled:
    from math import exp, sqrt

    from rosenblatt.engine.formulas import AROW, CONSTANT, LOGISTIC, PERCEPTRON, STABLE, WIDROW_HOFF
    from rosenblatt.engine.vector import (
        add,
        add_along,
        bind,
        choose_kernel,
        digest,
        is_zero,
        norm2,
        rescore,
        score_block,
        score_tile,
        seek,
        variance,
    )

    # The compiled module has the same numbers from _core.pxd.
    FINE, NOT_FINITE, TOO_LARGE, TOO_SMALL, SETTLE = range(5)  # why a run ended where it did

COMPILED = cython.compiled

# Below this a squared norm has lost digits to underflow, and tau with it.
SMALLEST_NORM2 = 1e-290
LARGEST = 1.7976931348623157e308
# Below this scale the running sum of shrunk weights would lose more than three digits.
SMALLEST_SCALE = 1e-3


class Loop:
    """THE loop over examples, and all that it changes.

    `vectors` is 1 for two classes and for regression, else the number of classes: an update moves the right one and its
    rival or, `against_rest`, every class as if it and all others were two. The log of a chunk is in
    `log_t, log_row, log_rival, log_tau`, `logged` entries long. With L2 the true weights are `scale * w`;
    `weight` is the sum of the scales so far since the average was last settled: the number of examples, without L2.
    """

    def __init__(self, rows, weights, rule, examples, log=None, measure=False, against_rest=False):
        y, targets, sample_weight = examples
        self.rule = rule
        self.y = y  # class codes
        self.targets = targets  # or, in a regression, what to predict
        self.sample_weight = sample_weight
        self.has_labels = y is not None
        self.regression = targets is not None
        self.weighted = sample_weight is not None
        self.vectors = weights.vectors
        self.constant = 1.0 if weights.fit_intercept else 0.0  # the constant feature
        self.bias = weights.bias
        self.bias_u = weights.bias_u
        self.second_order = rule.kind == AROW
        self.bias_sigma = weights.bias_sigma
        self.scores = weights.scores
        self.scale = weights.scale
        self.weight = weights.weight
        self.settled = weights.settled
        self.t = weights.t
        self.updates = weights.updates
        self.largest = weights.largest  # importance · |x|² so far
        self.mistakes = 0
        self.zero_rows = 0
        self.moved = 0.0  # Σ |Δ(w, b)|, where norms are computed
        self.steps = 0  # updates by one tau each, Σ tau of them and the least
        self.tau_sum = 0.0
        self.least_tau = LARGEST
        self.fault = FINE
        self.logged = 0
        self.keep_log = log is not None
        if log is not None:
            self.log_t, self.log_row, self.log_rival, self.log_tau = log
        # A bias that is given and does not learn can make a row of zeros a mistake that nothing can mend.
        stuck = not weights.fit_intercept and any(b != 0 for b in weights.bias)
        self.measure = measure
        self.needs_norm = (measure and not self.second_order) or rule.divides or rule.schedule == STABLE or stuck
        # Rules that move one rival can score four rows at once; the others move every class at every example.
        self.one_rival = rule.kind not in (LOGISTIC, WIDROW_HOFF)
        self.against_rest = against_rest and self.vectors > 1
        self.copies = 2 if self.vectors > 1 and self.one_rival and not self.against_rest else 1  # of x in an update
        self.tile = 4 if self.vectors > 1 and self.one_rival and rows.dense else 1
        self.block = 4 if rows.dense else 1024  # rows that are scored by one call
        # Steps of one tau, or AROW's, of which nobody wants the norm or a record: the search takes them by itself.
        alike = rule.kind == PERCEPTRON and rule.schedule == CONSTANT and rule.rate > 0 and rule.l2 == 0
        alike = alike or (self.second_order and not measure)
        self.steps_alike = alike and self.vectors == 1 and not (self.weighted or self.keep_log or self.needs_norm)
        self.rival = -1
        self.sign = 1.0
        self.n = rows.n
        refuse_misfit(rows, weights, examples, self.second_order)
        bind(self, rows, weights)

    def run(self, order, start, stop):
        """Learn from the examples order[start:stop] (None: as given); how far it came, `fault` saying why not further."""
        self.has_order = order is not None
        if self.has_order:
            self.order = order
        if start < 0 or stop > (self.order.shape[0] if self.has_order else self.n):
            raise ValueError(f"There are no examples from {start} to {stop}.")
        self.stop = stop
        self.scored = start
        self.logged = 0
        self.steps_in_search = self.steps_alike and self.scale == 1 and self.weight == self.t - self.settled
        self.fault = FINE
        with cython.nogil:
            reached = self.learn(start)
        return reached

    def learn(self, start):
        k = self.next_move(start)
        while k < self.stop and self.learn_from(k):
            k = self.next_move(k + 1)
        return k

    def next_move(self, start):
        """The next place whose example `learn_from` is to move the weights by, `margin` and `rival` being its own.

        All before it are passed: they move nothing, or have moved the weights in the search (`steps_in_search`).
        """
        k = start
        if self.vectors == 1:
            k = seek(self, start)  # `scores[0]` is the score there
            self.pass_on(k - start)
            if k < self.stop:
                i = self.order[k] if self.has_order else k
                self.sign = 1 if self.regression else 2 * self.y[i] - 1
                self.margin = self.sign * self.scores[0]
            return k
        while k < self.stop:
            if k < self.scored:
                self.place += self.vectors
            else:
                self.place = 0
                self.scored = min(k + self.tile, self.stop)
                score_tile(self, k, self.scored - k)
            self.right = self.y[self.order[k] if self.has_order else k]
            self.rival = self.best_other(self.place, self.right)
            self.margin = self.scores[self.place + self.right] - self.scores[self.place + self.rival]
            if self.rule.moves(self.margin) or not -LARGEST <= self.margin <= LARGEST:
                break
            if self.against_rest and self.first_to_move(0) < self.vectors:
                break
            self.pass_on(1)
            k += 1
        return k

    def learn_from(self, k):
        """The example at place k moves the weights; False where it cannot, `fault` saying why."""
        i = self.order[k] if self.has_order else k
        margin = self.margin
        if not -LARGEST <= margin <= LARGEST:
            self.fault = NOT_FINITE
            return False
        if self.scale < SMALLEST_SCALE:
            self.fault = SETTLE
            return False
        size = 0
        if margin == 0 or self.needs_norm:
            size = norm2(self, i)
            if size > LARGEST:
                self.fault = TOO_LARGE
                return False
            if size < SMALLEST_NORM2 and not is_zero(self, i):
                self.fault = TOO_SMALL
                return False
            size = (size + self.constant) * self.copies

        importance = self.sample_weight[i] if self.weighted else 1.0
        rate = self.rule.rate_at(self.updates + 1, self.t + 1)
        self.scale *= 1 - rate * self.rule.l2  # L2 shrinks w, not b
        self.mistakes += margin <= 0 and not self.regression
        if size == 0 and (margin == 0 or self.needs_norm):  # nothing to add: tau is 0, and the row is counted
            self.zero_rows += 1
            self.pass_on(1)
            return True

        if self.rule.schedule == STABLE:
            self.largest = max(self.largest, importance * size)
            rate = rate / self.largest
        if self.vectors > 1 and not self.one_rival:
            self.updates += self.move_every_class(i, self.right, rate * importance, size)
            self.pass_on(1)
            return True
        if self.against_rest:
            return self.move_against_rest(k, i, rate, importance, size)
        if self.second_order:
            self.gain = importance / self.rule.r
            size = self.uncertainty(i, 0 if self.vectors == 1 else self.right)
            if self.vectors > 1:
                size += self.uncertainty(i, self.rival)
        if self.regression:
            tau = self.rule.pull(self.targets[i] - margin, size, rate, importance)
        else:
            tau = self.rule.weighted_tau(margin, size, rate, importance)
        if self.second_order and not (size <= LARGEST and -LARGEST <= tau <= LARGEST):
            self.fault = NOT_FINITE if size <= LARGEST else TOO_LARGE
            return False

        if tau != 0:
            if self.vectors == 1:
                self.move(i, 0, tau * self.sign)
            else:
                self.move(i, self.right, tau)
                self.move(i, self.rival, -tau)
                if k + 1 < self.scored:  # for the other rows of this tile, two vectors have moved
                    rescore(self, k + 1, self.scored - k - 1, self.place + self.vectors, self.right)
                    rescore(self, k + 1, self.scored - k - 1, self.place + self.vectors, self.rival)
            self.updates += 1
            if not self.second_order:  # whose w is no sum of tau y x
                self.steps += 1
                self.tau_sum += tau
                self.least_tau = min(self.least_tau, tau)
                self.moved += abs(tau) * sqrt(size)
            if self.keep_log:
                self.record(i, self.rival, tau)
        self.pass_on(1)
        return True

    def first_to_move(self, start):
        """The first class from `start` on that this example moves against the rest; the number of classes if none."""
        for c in range(start, self.vectors):
            margin = self.scores[self.place + c] if c == self.right else -self.scores[self.place + c]
            if self.rule.moves(margin) or not -LARGEST <= margin <= LARGEST:
                return c
        return self.vectors

    def move_against_rest(self, k, i, rate, importance, size):
        """Every class moves as if it and the rest were two; together that is one update. False, and a fault, as above."""
        moved = False
        c = self.first_to_move(0)
        while c < self.vectors:
            score = self.scores[self.place + c]
            if self.second_order:
                self.gain = importance / self.rule.r
                size = self.uncertainty(i, c)
            tau = self.rule.weighted_tau(score if c == self.right else -score, size, rate, importance)
            if not (-LARGEST <= score <= LARGEST and size <= LARGEST and -LARGEST <= tau <= LARGEST):
                self.fault = NOT_FINITE if size <= LARGEST else TOO_LARGE
                return False
            if tau != 0:
                self.move(i, c, tau if c == self.right else -tau)
                moved = True
                if k + 1 < self.scored:
                    rescore(self, k + 1, self.scored - k - 1, self.place + self.vectors, c)
                if not self.second_order:
                    self.moved += abs(tau) * sqrt(size)
            c = self.first_to_move(c + 1)  # whose score is that of before: no class looks at another
        self.updates += moved
        if moved and self.keep_log:  # which example it was; a step of one rival there is none
            self.record(i, -1, 0.0)
        self.pass_on(1)
        return True

    def uncertainty(self, i, k):
        """x'Σx of vector k, the constant feature's part included."""
        return variance(self, i, k, False) + self.constant * self.bias_sigma[k]

    def pass_on(self, examples):
        """So many more examples have been seen: these weights survived them."""
        self.t += examples
        self.weight += examples * self.scale

    def best_other(self, place, right):
        """The rival: the highest-scoring other class, the lowest index on a tie."""
        best = 1 if right == 0 else 0
        for c in range(best + 1, self.vectors):
            if c != right and self.scores[place + c] > self.scores[place + best]:
                best = c
        return best

    def move(self, i, k, step):
        """Vector k moves by step x; of AROW by step Σx, and Σ⁻¹ grows by gain x².

        The average needs one more vector: a change at example t is missing from the t weights before it, so
        u += t step x, and the sum of all weights is T w − u (Daumé). With L2, t and T are sums of scales.
        """
        constant = self.constant
        if self.second_order:
            constant *= self.bias_sigma[k]
            if self.measure:
                self.moved += abs(step) * sqrt(variance(self, i, k, True) + constant * constant)
            add_along(self, i, k, step, self.weight * step, self.gain)
            self.bias_sigma[k] /= 1 + self.gain * constant
        else:
            add(self, i, k, step / self.scale, self.weight * (step / self.scale))
        self.bias[k] += step * constant
        self.bias_u[k] += (self.t - self.settled) * (step * constant)

    def move_every_class(self, i, right, rate, size):
        """Softmax moves class k by rate (1[k = y] − p_k); Widrow-Hoff by rate (±1 − s_k). Has any class moved?"""
        steps2 = 0
        moved = False
        if self.rule.kind == LOGISTIC:
            self.scores_to_probabilities()
        for c in range(self.vectors):
            wanted = 1 if c == right else (0 if self.rule.kind == LOGISTIC else -1)
            step = rate * (wanted - self.scores[c])
            steps2 += step * step
            if step != 0:
                self.move(i, c, step)
                moved = True
        self.moved += sqrt(steps2 * size)
        return moved

    def scores_to_probabilities(self):
        """p_k = e^{s_k} / Σ e^{s_j}, shifted by the largest score so that nothing overflows."""
        largest = self.scores[0]
        total = 0
        for c in range(1, self.vectors):
            largest = max(largest, self.scores[c])
        for c in range(self.vectors):
            self.scores[c] = exp(self.scores[c] - largest)
            total += self.scores[c]
        for c in range(self.vectors):
            self.scores[c] /= total

    def record(self, i, rival, tau):
        self.log_t[self.logged] = self.t
        self.log_row[self.logged] = i
        self.log_rival[self.logged] = rival
        self.log_tau[self.logged] = tau
        self.logged += 1

    def resume(self, weights):
        """Goes on from counts that were changed outside: sums that were settled, examples that changed nothing."""
        self.scale = weights.scale
        self.weight = weights.weight
        self.settled = weights.settled
        self.t = weights.t

    def score_rows(self, out, start, stop):
        """Writes the scores of rows start … stop-1 into `out`; the first row with one that is not finite, or -1."""
        self.has_order = False
        self.stop = stop
        self.out = out
        if start < 0 or stop > self.n or self.out.shape[0] < stop * self.vectors:
            raise ValueError(f"There are no rows from {start} to {stop}, or no room for their scores.")
        with cython.nogil:
            bad = self.score_all(start)
        return bad

    def score_all(self, start):
        k = start
        while k < self.stop:
            count = min(self.stop - k, self.block)
            score_block(self, k, count)
            k += count
        for c in range(start * self.vectors, self.stop * self.vectors):
            if not -LARGEST <= self.out[c] <= LARGEST:
                return c // self.vectors
        return -1


def refuse_misfit(rows, weights, examples, second_order):
    """The last look at shapes: below, nobody asks where an array ends."""
    w, u, vectors, y = weights.w, weights.u, weights.vectors, examples[0]
    sigma = weights.sigma if second_order else u
    if sigma is None:
        raise ValueError("A rule of second order needs weights with variances.")
    fits = w.shape == u.shape == (vectors, rows.d) and (rows.d == 1 or w.strides[1] == u.strides[1])
    fits = fits and w.strides[0] % 8 == w.strides[1] % 8 == u.strides[0] % 8 == 0
    fits = fits and w.dtype.char == u.dtype.char == "d" and len(weights.scores) >= 4 * vectors
    fits = fits and sigma.shape == u.shape and sigma.strides == u.strides and sigma.dtype.char == "d"
    fits = fits and len(weights.bias) == len(weights.bias_u) == len(weights.bias_sigma) == vectors
    fits = fits and all(part is None or len(part) == rows.n for part in examples)
    if fits and y is not None:
        fits = within(y, max(2, vectors))
    if not fits:
        raise ValueError(
            f"Weights of shape {w.shape} do not fit {rows.n} rows of {rows.d} columns, or a class code is none."
        )


def within(codes, classes):
    """Is every code that of a class?"""
    strange = 0
    for i in range(codes.shape[0]):
        strange += codes[i] < 0 or codes[i] >= classes
    return strange == 0


def use_kernel(name):
    """Score and add with the kernel of this name; whether this CPU can run it."""
    return choose_kernel(name)


def source_digest():
    """SHA-256 of the sources that this module was compiled from; empty uncompiled."""
    return digest()
