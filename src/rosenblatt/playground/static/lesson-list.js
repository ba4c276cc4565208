// The lessons, in the order of the lectures. Each is a link: a state of the page, words beside it, a guess before the run
// (`expect`), a question after it (`check`), and notes for whoever teaches it. Only the first of the words is shown before
// the guess: what tells the outcome stands in the others. `id` is the lesson's number in links, for good.

const guess = (ask, choices, right, because) => ({ ask, choices, right, because });

export const LESSONS = [
  {
    id: 7, title: "A neuron decides", source: "Harvey Mudd, Boulder",
    link: "data=points&points=0,0,-;0,1,-;1,0,-;1,1,%2B&order=given&epochs=1&w1=1&w2=1&b=-1.5",
    words: [
      "A neuron adds up its inputs, each times a weight, and fires if the sum w·x + b is at least 0. Here w = (1, 1) and b = −1.5.",
      "Step through the four points. Nothing is learned, because nothing is wrong: this neuron computes “and”.",
    ],
    expect: guess("How many of the four points are classified correctly before anything is learned?", ["2", "3", "4"], 2, "Only (1, 1) reaches 1 + 1 − 1.5 = 0.5; the others stay below 0."),
    check: guess("Which bias turns it into “or”, with the same weights?", ["b = −2.5", "b = −0.5", "b = 0.5"], 1, "One input must be enough: 1 − 0.5 ≥ 0. No input must not be: −0.5 < 0."),
    notes: "Let the class set b under Start weights and watch the line move by −b/|w| along w. The threshold is −b.",
  },
  {
    id: 1, title: "One mistake at a time", source: "Boulder",
    link: "data=four&order=given&epochs=1&w1=1",
    words: [
      "Four points, and a first guess: w = (1, 0), b = 0. The line is upright; everything to its right is called positive.",
      "Step through the epoch. The activations are 1, 0.5, −2.5 and −0.5. Only the second point is on the wrong side: it is negative, and a = 0.5.",
      "So x is subtracted from w, and 1 from b. Watch the arrow: w = (0.5, 1), b = −1. After that all four points are right.",
    ],
    expect: guess("Which point is the first mistake?", ["point 1", "point 2", "point 3"], 1, "Its activation is 0.5, and it is negative."),
    check: guess("How many updates did the epoch make?", ["1", "2", "4"], 0, "After the update at point 2 all four are right."),
    notes: "Do the arithmetic on the board before each step; `rosenblatt worksheet` has such walks with other numbers.",
  },
  {
    id: 8, title: "Why an update helps", source: "Boulder",
    link: "data=points&points=2,-1,%2B;-1,1,-&order=given&epochs=10&w1=-1&w2=1",
    words: [
      "Point 1, x = (2, −1), is positive, but its activation is a = −3: a mistake. The update adds x to w and 1 to b.",
      "So its activation grows by x·x + 1 = |x|² + 1, whatever the weights are. Here that is 6.",
    ],
    expect: guess("What is the activation of point 1 after its update?", ["−2", "3", "6"], 1, "−3 + |x|² + 1 = −3 + 5 + 1 = 3."),
    check: guess("A point with |x|² = 1 and a = −5, y = +1: how many updates of its own does it need until a > 0?", ["1", "2", "3"], 2, "Each adds 2: −3, −1, 1."),
    notes: "a′y = ay + |x|² + 1 at every update: read it off “Why it helps” in the step.",
  },
  {
    id: 2, title: "Through the origin", source: "Harvey Mudd",
    link: "data=four&order=given&epochs=20&w1=1&bias=0",
    words: [
      "The same four points without a bias: the line always passes through the origin, and can only turn.",
      "Go from mistake to mistake (N). The dashed line is the one before the update; the violet arrow is what was added to w. Five updates, and w = (1.5, 1).",
      "At w = (1, 1) one point lies on the line. A margin of 0 counts as a mistake; otherwise learning would stop there.",
    ],
    expect: guess("Can a line through the origin separate these points?", ["yes", "no"], 0, "w = (1.5, 1) does."),
    check: guess("How many updates did it take?", ["1", "3", "5"], 2, "With a bias one was enough, from the same start."),
    notes: "Ask what would happen with < for ≤: it would stop at w = (1, 1), with point 4 on the line.",
  },
  {
    id: 15, title: "Why ≤, and not <", source: "Harvey Mudd",
    link: "data=four&order=given&epochs=20&w1=1&bias=0&strict=1",
    words: [
      "The same points and the same start, but now only y a < 0 is a mistake: a point on the line counts as right.",
      "It stops at w = (1, 1), with point 4 on the line: the smallest change could put it on the wrong side. Untick “Only y a < 0” (Training, on the left): with ≤ it goes on to (1.5, 1), where every point is off the line.",
      "And from w = 0 it would never start: all scores are 0, and with < nothing is wrong. Try it: set w₁ to 0.",
    ],
    expect: guess("With ≤ there were five updates. How many will there be with <?", ["more", "fewer", "just as many"], 1, "Three: then no y a is below 0."),
    check: guess("What is the activation of point 4, (−1, 1), at the end?", ["−1", "0", "1"], 1, "(1, 1)·(−1, 1) = 0: it lies on the line."),
    notes: "The library always counts 0 as a mistake; < is on this page only, for this lesson. Mistake bounds hold for both, but only ≤ ends with a margin above 0.",
  },
  {
    id: 9, title: "What a bias does", source: "Harvey Mudd",
    link: "data=points&points=1,1,-;2,2,%2B&order=given&epochs=50&bias=0&unit=update",
    words: [
      "Two points of different classes that lie in the same direction from the origin, and no bias.",
      "Play. Then tick Bias on the left, and play again: now the line can pass between them.",
    ],
    expect: guess("Will it converge without a bias?", ["yes", "no"], 1, "The score of (2, 2) is twice the score of (1, 1), so the two always have the same sign."),
    check: guess("With a bias it ends at w = (1, 1), b = −3. Where does the line cross the diagonal?", ["at (1, 1)", "at (1.5, 1.5)", "at (3, 3)"], 1, "x + x − 3 = 0 at x = 1.5, midway."),
    notes: "The bias is the weight of a feature that is always 1: the points become (1, 1, 1) and (2, 2, 1), which no longer lie in one direction.",
  },
  {
    id: 3, title: "Why it must end", source: "Harvey Mudd",
    link: "data=blobs&n=80&margin=0.15&dataseed=4&epochs=100&unit=update",
    words: [
      "If some line leaves a margin γ, and no point is farther than R, a perceptron makes at most R²/γ² mistakes: Block and Novikoff, 1962.",
      "Let θ = (w, b), and let θ* be the separator of length 1 with margin γ. Each update adds at least γ to θ·θ*, and at most R² to |θ|². After k updates θ·θ* ≥ kγ and |θ| ≤ √k R; since θ·θ* cannot exceed |θ|, k cannot exceed R²/γ². The angle between θ and θ* need not shrink every time: at the third update cos(θ, θ*) falls from 0.980 to 0.667.",
      "Drag the margin slider towards 0: the bound grows, and so does the number of updates.",
      "With a margin below 0 the classes overlap. Then there is no bound, and the certificate shows points that prove it.",
    ],
    expect: guess("The bound is 138 updates. How many will it make?", ["about 138", "far fewer"], 1, "8: the bound is for the worst order and the worst points."),
    check: guess("Does cos(θ, θ*) grow at every update?", ["yes", "no"], 1, "It falls at the third update. What grows every time is θ·θ*."),
    notes: "The slide's “the angle decreases at each update” is an erratum; only its bound does.",
  },
  {
    id: 10, title: "Does the order matter?", source: "Harvey Mudd",
    link: "data=ordered&n=60&margin=0.1&dataseed=3&order=given&epochs=50&unit=update",
    words: [
      "The points are sorted by class, as the rows of many files are. Play to the end and note the number of epochs.",
      "Then choose “Shuffled every epoch” and compare: different updates, a different line, fewer epochs.",
    ],
    expect: guess("Will sorted points need more epochs than shuffled ones, or fewer?", ["more", "fewer"], 0, "8 epochs against 4: while it sees only one class, it forgets the other."),
    check: guess("Do both orders end on the same line?", ["yes", "no"], 1, "It stops at the first line that separates them, and which one that is depends on the order."),
    notes: "`rosenblatt compare FILE --orders 10` measures it on real data; averaged weights depend on the order far less.",
  },
  {
    id: 4, title: "What no line can do", source: "USC",
    link: "data=xor&n=40&margin=0.15&dataseed=2&epochs=50&learner2=kernel&degree2=2",
    words: [
      "XOR: a point is positive where both coordinates have the same sign. On the left a perceptron; on the right the same rule with a polynomial kernel of degree 2.",
      "No line separates these points, and four of them prove it: the perceptron never converges. With the kernel, w is a sum of training points in the space of all products up to degree 2, and only inner products of points are needed. It converges.",
      "Try the rings; then try degree 1, which is the line again.",
    ],
    expect: guess("Which of the two will converge?", ["the line", "the kernel", "both"], 1, "One of the features of degree 2 is x₁x₂, and its sign is the class."),
    check: guess("How many points prove that there is no line?", ["2", "4", "20"], 1, "They are outlined: a weighted mean of positive ones equals a weighted mean of negative ones."),
    notes: "Basis functions (the next lesson) and hidden layers are other ways to solve XOR.",
  },
  {
    id: 16, title: "Features bend the line", source: "USC",
    link: "data=xor&n=40&margin=0.15&dataseed=2&epochs=50&features=x1x2&unit=update",
    words: [
      "The points of XOR again, with the plain perceptron. But besides x₁ and x₂ it now has a third feature, x₁x₂.",
      "In the space of the three features a plane separates the classes. Drawn over x₁ and x₂ that plane is a curve, w₁x₁ + w₂x₂ + w₁₂x₁x₂ + b = 0.",
      "Then choose the rings: x₁x₂ does not help there. Switch on x₁² and x₂² (Data, on the left). Which weights make a circle?",
    ],
    expect: guess("Will it converge, with this one extra feature?", ["yes", "no"], 0, "The class is the sign of x₁x₂."),
    check: guess("How many updates did it take?", ["4", "40", "it never stopped"], 0, "Far below the bound of 742; without the feature it never converged."),
    notes: "Nothing in the loop changes: a linear learner is linear in its features, not in the picture. The certificate is about the space of all features.",
  },
  {
    id: 17, title: "Down the slope", source: "USC",
    link: "data=surface&eta=0.2&steps=300",
    words: [
      "Gradient descent goes down a surface against its gradient, here f(θ) = ½ (θ₁² − θ₂)² + ½ (θ₁ − 1)², a curved valley with its minimum at (1, 1).",
      "Play. Then try a small rate, η = 0.02: after 300 steps it is still far away. A large rate, 0.9, diverges. In between it may jump back and forth forever: try 0.5.",
    ],
    expect: guess("Where is the surface steeper?", ["where contour lines are close together", "where they are far apart"], 0, "There the same distance crosses more contour lines, so f changes more."),
    check: guess("With η = 0.2, where is it after 300 steps?", ["at (1, 1), to four digits", "halfway", "it has diverged"], 0, "f is below 10⁻¹⁰."),
    notes: "The perceptron is stochastic gradient descent on the perceptron criterion, one example at a time: the gradient at a mistake is −y x. `rosenblatt.estimators.neighbours.descend` takes any function.",
  },
  {
    id: 11, title: "w is a sum of points", source: "USC",
    link: "data=points&points=1,2,%2B;2,1,%2B;-1,0.5,-;0.5,-1.5,-;-1,-1,-&order=given&epochs=20&bias=0&unit=update",
    words: [
      "From w = 0, every update adds a point or subtracts one. So w is always a linear combination of training points: each counts as often as it was a mistake.",
      "Step from update to update and keep count.",
    ],
    expect: guess("Can w ever be a vector that is no linear combination of the points?", ["yes", "no"], 1, "It starts at 0, and only points are added or subtracted."),
    check: guess("Two updates: point 1 was added, point 3 subtracted. What is w at the end?", ["(0, 2.5)", "(1, 2)", "(2, 1.5)"], 2, "(1, 2) − (−1, 0.5) = (2, 1.5)."),
    notes: "The list of updates is the dual representation: votes, kernels and forgetting an example are sums over it.",
  },
  {
    id: 12, title: "Two steps from logistic regression", source: "UW",
    link: "data=blobs&n=60&margin=0.1&dataseed=7&epochs=15&learner=logistic&learner2=perceptron",
    words: [
      "Logistic regression, example by example, moves by rate · σ(−ya): much where it is wrong, a little where it is right.",
      "Make the prediction hard instead, so that the factor is 1 where it is wrong and 0 where it is right, and you have the perceptron: one loop, two rules.",
    ],
    expect: guess("Which of the two converges?", ["logistic", "perceptron", "both"], 1, "σ is never 0: logistic regression moves at every example."),
    check: guess("Which ends with the larger margin?", ["logistic", "perceptron"], 0, "70 % of the largest possible against 10 %: it goes on improving where the perceptron stops."),
    notes: "Step by example and compare τ: σ(−ya) on the left, 0 or 1 on the right (F follows the other).",
  },
  {
    id: 5, title: "Noise, averaging and voting", source: "UW",
    link: "data=blobs&n=120&margin=0.02&noise=0.08&dataseed=5&epochs=15&view=all&unit=update",
    words: [
      "Some labels are wrong. Three pictures of one run: the last weights, the average of all weights, and their vote. Play, and compare.",
      "The last weights thrash to the very end. The average of all weights hardly moves any more. In the vote, every weight vector has as many votes as it survived examples; its decision boundary is not straight.",
      "This vote is Freund and Schapire's voted perceptron. The average is nearly as good and costs only one more vector.",
    ],
    expect: guess("Will the last weights converge?", ["yes", "no"], 1, "No line separates these points, so every epoch has mistakes."),
    check: guess("Which of the three boundaries need not be a straight line?", ["last", "averaged", "voted"], 2, "A vote of many lines is not a line."),
    notes: "Mistakes per epoch do not fall after the first epochs: that is what noise looks like.",
  },
  {
    id: 18, title: "The highest score wins", source: "UW",
    link: "data=points&points=0,2,a;2,-1,b;-2,-1,c;0.5,1.5,a;1.5,-1.5,b;-1,-1.5,c;1.5,0.5,b&k=3&order=given&epochs=20&bias=0",
    words: [
      "Three classes, and a weight vector for each. The class whose score w·x is highest wins: the plane is divided into three regions.",
      "At a mistake x is added to the weights of the right class and subtracted from those of its rival, the highest-scoring other class. The third class does not change.",
      "Step, and watch two arrows move at each mistake.",
    ],
    expect: guess("At first all scores are 0. Is point 1 a mistake?", ["yes", "no"], 0, "Its lead is 0, and that counts as a mistake, as with two classes. Of equal rivals the first is taken: B."),
    check: guess("How many updates were made?", ["1", "2", "7"], 1, "At point 1, A against B; at point 3, C against B."),
    notes: "Ask what the line between A and B is: where (w_A − w_B)·x = 0. Two classes are the same, with w = w_B − w_A. The bound is 2R²/γ², since an update moves two vectors.",
  },
  {
    id: 19, title: "Trained too long", source: "UW",
    link: "data=blobs&n=60&margin=0&noise=0.15&dataseed=366&epochs=40&learner=averaged&features=x1x1,x2x2,x1x2&holdout=0.5&unit=update",
    words: [
      "Half of the points are held out (hollow): nothing is learned from them. Some labels are wrong, and with three extra features the boundary can bend to fit them.",
      "Play, and watch the held-out error on the right: it falls, and then rises again, while the training error stays at 5 of 30 points..",
      "So stop early, and keep the weights of the best epoch, not the last.",
    ],
    expect: guess("When is the held-out error lowest?", ["at the end", "before the end"], 1, "After epoch 8: 6.7 %."),
    check: guess("What is it at the end?", ["0 %", "6.7 %", "23.3 %"], 2, "7 of 30 points, where 2 of 30 were wrong after epoch 8."),
    notes: "These points were chosen among 400 draws because they show it so clearly; try other seeds, and see how often it is hard to tell. `early_stopping=True` and `train --holdout` return the best weights.",
  },
  {
    id: 6, title: "How far to move", source: "Oregon State",
    link: "data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner=perceptron&learner2=mira&p2=0.9",
    words: [
      "The perceptron adds the whole point, however small or large the mistake was. MIRA makes the smallest change that gives the point margin 1; with p = 0.9 it does so wherever the margin is below 0.9.",
      "So it also updates at points that are right, but too close to the line: the margin becomes wider, with more updates. Drag p towards 0.",
      "Then try passive-aggressive and logistic in its place: the same loop with another τ.",
    ],
    expect: guess("Which makes more updates?", ["the perceptron", "MIRA with p = 0.9"], 1, "130 against 11: it also updates at points that are right, but close."),
    check: guess("What does MIRA get in return?", ["a larger margin", "fewer epochs"], 0, "98 % of the largest possible margin, against 7 %."),
    notes: "At every update of MIRA the margin of its point becomes exactly 1: read it off “Why it helps”.",
  },
  {
    id: 20, title: "Points far away", source: "Oregon State",
    link: "data=points&points=-1,0.5,-;-1.5,-0.5,-;-0.6,1,-;-1.2,-1,-;-0.5,-0.2,-;0.5,0.4,%2B;1,-0.6,%2B;1.4,0.8,%2B;0.4,-1,%2B;0.6,1.1,%2B;6,0.3,%2B;7,-0.4,%2B;8,0.6,%2B;7.5,-0.8,%2B;6.5,0,%2B;8.5,0.2,%2B&order=given&epochs=200&learner=widrow-hoff&rate=0.003&learner2=logistic&unit=update&speed=max",
    words: [
      "Linear regression (Widrow-Hoff, on the left) wants every score to be +1 or −1. Six positive points lie far away on the right, where they are easy to classify.",
      "But a score of +1 so far away makes the fitted line flat, and it pays with errors in the middle. Logistic regression has a sigmoid, which is already flat far away: there is nothing left to gain there.",
      "Remove the far points, and both boundaries lie near x₁ = 0.",
    ],
    expect: guess("Which of the two boundaries do the far points move?", ["linear", "logistic", "both"], 0, "Their squared error grows with the distance; σ(−ya) is almost 0 there."),
    check: guess("Point 9, (0.4, −1), is positive. Which of the two gets it wrong?", ["linear", "logistic"], 0, "Its boundary crosses the axis at 0.5, the logistic one near 0."),
    notes: "`rosenblatt lab distant-points` measures it. “What is predicted”, among the charts, shows the straight line and the sigmoid (F follows the other).",
  },
  {
    id: 13, title: "Scale first", source: "Oregon State",
    link: "data=points&points=10,1,%2B;20,1.5,%2B;30,1.2,%2B;15,0.2,-;25,-0.3,-;35,0.1,-&order=given&epochs=100&unit=update",
    words: [
      "x₁ spreads fourteen times as wide as x₂, but only x₂ tells the classes apart.",
      "Play to the end. Then centre and scale the features (Training, on the left), and play again.",
    ],
    expect: guess("R is 35. How will the bound R²/γ² change when both features have the same spread?", ["it grows", "it falls"], 1, "From 8,320 to 9: R falls to 1.9, and γ grows."),
    check: guess("189 updates raw. And scaled?", ["2", "100", "189"], 0, "Now the small feature counts as much as the large one."),
    notes: "`rosenblatt train` scales by itself; `rosenblatt lab scaling` measures error, R and γ.",
  },
  {
    id: 14, title: "One vector more", source: "Oregon State",
    link: "data=blobs&n=100&margin=0.05&noise=0.1&dataseed=8&epochs=10&learner=averaged&unit=update",
    words: [
      "The averaged perceptron predicts with the mean of all its weights. Done naively, that adds up the whole vector after every example.",
      "Daumé's trick: the change at example t is missing from the t weight vectors before it. So add t times each change to a second vector u; the average after T examples is (T w − u) / T.",
    ],
    expect: guess("Will the averaged line move more or less from update to update than the last one?", ["more", "less"], 1, "After T examples one update changes the mean by only about 1/T of its size."),
    check: guess("How many extra vectors does averaging keep?", ["1", "as many as examples"], 0, "u, whatever T is."),
    notes: "Switch between Last and Averaged (V) while it plays.",
  },
];
