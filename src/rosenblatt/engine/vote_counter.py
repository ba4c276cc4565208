"""The count of votes: a running sum over the updates of a run, as the loop itself would have scored.

Plain Python that the build also compiles, as `_vote_counter`, like core.py; _vote_counter.pxd gives it types.
"""

try:
    import cython
except ImportError:
    from rosenblatt.engine import uncompiled as cython

if not cython.compiled:
    from rosenblatt.engine.vector import digest, vote_abreast


class VoteCounter:
    """Votes of all weights of a run, from products of the rows to decide about with the rows of the log.

    Update k adds `steps[k] products[i, column[k]]` to the score by vector `gains[k]`, `steps[k] constant` to its bias, and
    takes them from those of `loses[k]` (not where there is one vector). The bias is a sum of its own, as in training: beside
    it, products of tiny features would be rounded away. The weights before the first update vote `lived[0]` times.
    """

    def __init__(self, log, constant, biases):
        self.column, self.gains, self.loses, self.steps, self.lived = log
        self.updates = self.steps.shape[0]
        column, gains, loses, steps, lived = log
        # The last look at where the log points: below, nobody asks where an array ends.
        self.columns = column.max(initial=-1) + 1
        self.least_vectors = max(gains.max(initial=-1), loses.max(initial=-1)) + 1
        lengths = len(gains) == len(loses) == len(column) == len(steps) == len(lived) - 1
        if not lengths or column.min(initial=0) < 0 or gains.min(initial=0) < 0:
            raise ValueError("The parts of the log do not fit each other.")
        self.has_rivals = loses.min(initial=0) >= 0
        self.constant, self.biases = constant, biases  # what the log adds to them; room for one a vector

    def count(self, products, scores, votes):
        """`scores`, a row a row of products, go from those of the first weights to those of the last; votes are written."""
        self.products, self.scores, self.votes = products, scores, votes
        n, vectors = scores.shape
        fits = len(products) >= n and products.shape[1] >= self.columns and votes.shape == scores.shape
        if vectors > 1:
            fits = fits and self.has_rivals and self.least_vectors <= vectors <= self.biases.shape[0]
        if not fits:
            raise ValueError("Products, scores or votes do not fit the log.")
        with cython.nogil:
            self.count_all()

    def count_all(self):
        for i in range(self.scores.shape[0]):
            if self.scores.shape[1] == 1:
                self.count_two(i)
            else:
                self.count_many(i)

    def count_two(self, i):
        """Σ lived sign(score); a score of 0 is positive."""
        score = self.scores[i, 0]
        bias = 0.0
        votes = self.lived[0] if score >= 0 else -self.lived[0]
        for k in range(self.updates):
            score += self.steps[k] * self.products[i, self.column[k]]
            bias += self.steps[k] * self.constant
            votes += self.lived[k + 1] if score + bias >= 0 else -self.lived[k + 1]
        self.scores[i, 0] = score + bias
        self.votes[i, 0] = votes

    def count_many(self, i):
        """Votes for each class: every one for the first of the highest scores."""
        for c in range(self.scores.shape[1]):
            self.votes[i, c] = 0
            self.biases[c] = 0.0
        self.votes[i, self.highest(i)] += self.lived[0]
        for k in range(self.updates):
            step = self.steps[k] * self.products[i, self.column[k]]
            self.scores[i, self.gains[k]] += step
            self.scores[i, self.loses[k]] -= step
            step = self.steps[k] * self.constant
            self.biases[self.gains[k]] += step
            self.biases[self.loses[k]] -= step
            self.votes[i, self.highest(i)] += self.lived[k + 1]
        for c in range(self.scores.shape[1]):
            self.scores[i, c] += self.biases[c]

    def highest(self, i):
        """The first of the classes with the highest score."""
        best = 0
        most = self.scores[i, 0] + self.biases[0]
        for c in range(1, self.scores.shape[1]):
            score = self.scores[i, c] + self.biases[c]
            if score > most:
                best, most = c, score
        return best


class WholeVoteCounter:
    """Votes of two classes from products that are whole numbers, for many rows abreast.

    Update k adds `steps[k] products[column[k]]`, a number a row to decide about, to their scores. The caller sees to it that
    float32 holds all of them exactly, and that the votes fit in 32 bits.
    """

    def __init__(self, column, steps, lived):
        self.column, self.steps, self.lived = column, steps, lived
        self.columns = column.max(initial=-1) + 1
        if not len(column) == len(steps) == len(lived) - 1 or column.min(initial=0) < 0:
            raise ValueError("The parts of the log do not fit each other.")

    def count(self, products, scores, votes):
        """`scores` go from those of the first weights to those of the last; votes are written."""
        self.products, self.scores, self.votes = products, scores, votes
        if products.shape[1] != len(scores) or len(votes) != len(scores) or len(products) < self.columns:
            raise ValueError("Products, scores or votes do not fit the log.")
        if len(scores):
            with cython.nogil:
                self.count_all()

    def count_all(self):
        for i in range(self.scores.shape[0]):
            self.votes[i] = self.lived[0] if self.scores[i] >= 0 else -self.lived[0]
        for k in range(self.steps.shape[0]):
            vote_abreast(self, self.column[k], self.steps[k], self.lived[k + 1])


class SignCounter:
    """Votes of weights from their scores in float32, with (x, 1) and (w, b) of length 1.

    What is no further from 0 than `doubt` is made again, as x·w + b in double; b is the last column of W.
    """

    def __init__(self, X, doubt):
        self.X, self.doubt = X, doubt

    def count(self, scores, W, lived, votes, patience):
        """Adds Σ lived sign(score) to votes. False, and votes as they were, where more than `patience` are in doubt."""
        self.scores, self.W, self.lived, self.patience = scores, W, lived, patience
        counted = votes.copy()
        self.votes = counted
        with cython.nogil:
            self.count_all()
        if self.patience >= 0:
            votes[...] = counted
        return self.patience >= 0

    def count_all(self):
        for i in range(self.scores.shape[0]):
            votes = 0
            for k in range(self.scores.shape[1]):
                score = self.scores[i, k]
                if -self.doubt <= score <= self.doubt:
                    self.patience -= 1
                    if self.patience < 0:
                        return
                    score = self.score(i, k)
                votes += (2 * (score >= 0) - 1) * self.lived[k]  # no branch: nobody can foretell the sign
            self.votes[i] += votes

    def score(self, i, k):
        """w·x + b of row i and weights k."""
        d = self.X.shape[1]
        score = 0.0
        for j in range(d):
            score += self.W[k, j] * self.X[i, j]
        return score + self.W[k, d]


def source_digest():
    """SHA-256 of the sources that this module was compiled from; empty uncompiled."""
    return digest()
