// The lessons, in the order of the lectures. Each is a link: a state of the page, words beside it, a guess before the run
// (`expect`), a question after it (`check`), and notes for who teaches it. `id` is the lesson's number in links, for good.

const guess = (ask, choices, right, because) => ({ ask, choices, right, because });

export const LESSONS = [
  {
    id: 7, title: "A neuron decides", source: "Harvey Mudd, Boulder",
    link: "data=points&points=0,0,-;0,1,-;1,0,-;1,1,%2B&order=given&epochs=1&w1=1&w2=1&b=-1.5",
    words: [
      "A neuron adds up its inputs, each times a weight, and fires if the sum w·x + b is at least 0. Here w = (1, 1) and b = −1.5.",
      "Step over the four corners. Nothing is learned, because nothing is wrong: this neuron computes “and”.",
    ],
    expect: guess("How many of the four corners are on their right side, before anything is learned?", ["2", "3", "4"], 2, "Only (1, 1) reaches 1 + 1 − 1.5 = 0.5; the others stay below 0."),
    check: guess("Which bias turns it into “or”, with the same weights?", ["b = −2.5", "b = −0.5", "b = 0.5"], 1, "One input must be enough: 1 − 0.5 ≥ 0, and none must not: −0.5 < 0."),
    notes: "Let the class set b under Start weights and watch the line move by −b∕|w| along w. The threshold is −b.",
  },
  {
    id: 1, title: "One mistake at a time", source: "Boulder",
    link: "data=four&order=given&epochs=1&w1=1",
    words: [
      "Four points, and a first guess: w = (1, 0), b = 0. The line is upright; everything to its right is called positive.",
      "Step through the epoch. The activations are 1, 0.5, −2.5 and −0.5. Only the second point is on the wrong side: it is negative, and a = 0.5.",
      "So x is taken away from w, and 1 from b. Watch the arrow: w = (0.5, 1), b = −1. After that nothing is wrong any more.",
    ],
    expect: guess("Which point is the first mistake?", ["point 1", "point 2", "point 3"], 1, "Its activation is 0.5, and it is negative."),
    check: guess("How many updates did the epoch make?", ["1", "2", "4"], 0, "After the second point all four are right."),
    notes: "Do the arithmetic on the board before each step; `rosenblatt worksheet` has such walks with other numbers.",
  },
  {
    id: 8, title: "Why an update helps", source: "Boulder",
    link: "data=points&points=2,-1,%2B;-1,1,-&order=given&epochs=10&w1=-1&w2=1",
    words: [
      "The first point, x = (2, −1), is positive, and a = −3. An update adds x to w and 1 to b.",
      "So its activation grows by x·x + 1 = |x|² + 1, whatever the weights were. Here that is 6.",
    ],
    expect: guess("What is the activation of point 1 after its update?", ["−2", "3", "6"], 1, "−3 + |x|² + 1 = −3 + 5 + 1 = 3."),
    check: guess("A point with |x|² = 1 and a = −5, y = +1: how many updates of its own does it need until a > 0?", ["1", "2", "3"], 2, "Each adds 2: −3, −1, 1."),
    notes: "a′y = ay + |x|² + 1 at every update: read it off “Why it helps” in the step.",
  },
  {
    id: 2, title: "Through the origin", source: "Harvey Mudd",
    link: "data=four&order=given&epochs=20&w1=1&bias=0",
    words: [
      "The same points without a bias: the line can only turn about the origin.",
      "Go from mistake to mistake (N). The ghost is the line before the update; the violet arrow is what was added to w. Five updates, and w = (1.5, 1).",
      "At w = (1, 1) one point lies on the line. A margin of 0 counts as a mistake, or learning would stop there.",
    ],
    expect: guess("Can a line through the origin separate these points?", ["yes", "no"], 0, "w = (1.5, 1) does."),
    check: guess("How many updates did it take?", ["1", "3", "5"], 2, "With a bias one was enough, from the same first guess."),
    notes: "Ask what would happen with < for ≤: it would stop at w = (1, 1), with point 4 on the line.",
  },
  {
    id: 15, title: "Why ≤, and not <", source: "Harvey Mudd",
    link: "data=four&order=given&epochs=20&w1=1&bias=0&strict=1",
    words: [
      "The same points and the same first guess, but now only y a < 0 is a mistake: a point on the line counts as right.",
      "It stops at w = (1, 1), with point 4 on the line: any touch would put it on the wrong side. Untick “Only y a < 0” (Training, on the left): with ≤ it goes on to (1.5, 1), where every point is off the line.",
      "And from w = 0 it would never begin: all scores are 0, and with < nothing is wrong. Try it: set w₁ to 0.",
    ],
    expect: guess("Will it make more or fewer updates than with ≤, which made five?", ["more", "fewer", "as many"], 1, "Three: then nothing is below 0."),
    check: guess("What is the activation of point 4, (−1, 1), at the end?", ["−1", "0", "1"], 1, "(1, 1)·(−1, 1) = 0: it lies on the line."),
    notes: "The library always counts 0 as a mistake; < is on this page only, for this lesson. Mistake bounds hold for both, but only ≤ ends with a margin above 0.",
  },
  {
    id: 9, title: "What a bias does", source: "Harvey Mudd",
    link: "data=points&points=1,1,-;2,2,%2B&order=given&epochs=50&bias=0&unit=update",
    words: [
      "Two points in one direction from the origin, of different classes, and no bias.",
      "Play. Then tick Bias on the left, and play again: now the line may pass between them.",
    ],
    expect: guess("Without a bias: will it come to rest?", ["yes", "no"], 1, "The score of (2, 2) is twice that of (1, 1): they always have the same sign."),
    check: guess("With a bias it ends at w = (1, 1), b = −3. Where does the line cross the diagonal?", ["at (1, 1)", "at (1.5, 1.5)", "at (3, 3)"], 1, "x + x − 3 = 0 at x = 1.5, midway."),
    notes: "The bias is the weight of a feature that is always 1: the points become (1, 1, 1) and (2, 2, 1), which are not in one direction.",
  },
  {
    id: 3, title: "Why it must end", source: "Harvey Mudd",
    link: "data=blobs&n=80&margin=0.15&dataseed=4&epochs=100&unit=update",
    words: [
      "If some line leaves a margin γ, and no point is farther than R, a perceptron makes at most R²∕γ² mistakes: Block and Novikoff, 1962.",
      "Each update adds at least γ to θ·θ*, and at most R² to |θ|², where θ = (w, b): so |θ| stays below √k R, and the two cannot go together for long. The angle itself may grow on the way: at the third update cos(θ, θ*) falls from 0.980 to 0.667.",
      "Drag the margin slider towards 0 and watch the bound grow, and the updates with it.",
      "With a margin below 0 the clouds overlap. There is no bound then, and the certificate shows points that prove it.",
    ],
    expect: guess("The bound is 138 updates. How many will it make?", ["about 138", "far fewer"], 1, "8: the bound is for the worst order and the worst points."),
    check: guess("Does cos(θ, θ*) grow at every update?", ["yes", "no"], 1, "It falls at the third. What grows every time is θ·θ*."),
    notes: "The slide's “the angle decreases at each update” is an erratum; only its bound does.",
  },
  {
    id: 10, title: "Does the order matter?", source: "Harvey Mudd",
    link: "data=ordered&n=60&margin=0.1&dataseed=3&order=given&epochs=50&unit=update",
    words: [
      "The points come sorted, one class first, as many files are. Play to the end and note the epochs.",
      "Then choose “Shuffled every epoch” and compare: other updates, another line, fewer epochs.",
    ],
    expect: guess("Sorted: will it need more epochs than shuffled?", ["more", "fewer"], 0, "8 epochs against 4: while one class passes, the other is forgotten."),
    check: guess("Do both orders end on the same line?", ["yes", "no"], 1, "Any separating line is an end; which one depends on the order."),
    notes: "`rosenblatt compare FILE --orders 10` measures it on real data; averaged weights depend on the order far less.",
  },
  {
    id: 4, title: "What no line can do", source: "USC",
    link: "data=xor&n=40&margin=0.15&dataseed=2&epochs=50&learner2=kernel&degree2=2",
    words: [
      "Positive where both coordinates have the same sign: no line separates these points, and a few of them prove it. The perceptron never comes to rest.",
      "Beside it the same rule with a polynomial kernel of degree 2: w is a sum of training points, and only products of points are needed. It ends.",
      "Try the rings, and degree 1: that is the line again.",
    ],
    expect: guess("Which of the two will come to rest?", ["the line", "the kernel", "both"], 1, "Among the features of degree 2 is x₁x₂, and on it XOR is one threshold."),
    check: guess("How many points prove that there is no line?", ["2", "4", "20"], 1, "They are outlined: a mean of some of one class is a mean of some of the other."),
    notes: "Basis functions and hidden layers are other ways out of XOR.",
  },
  {
    id: 16, title: "Features bend the line", source: "USC",
    link: "data=xor&n=40&margin=0.15&dataseed=2&epochs=50&features=x1x2&unit=update",
    words: [
      "The points of XOR again, with the plain perceptron. But beside x₁ and x₂ it now sees a third feature, x₁x₂.",
      "In the space of the three a plane separates the classes. Drawn in the plane of x₁ and x₂ that plane is a curve, w₁x₁ + w₂x₂ + w₁₂x₁x₂ + b = 0.",
      "Then take the rings: x₁x₂ does not help there. Switch on x₁² and x₂² (Data, on the left): what is a circle in the picture?",
    ],
    expect: guess("Will it come to rest, with one feature more?", ["yes", "no"], 0, "The classes are the two signs of x₁x₂."),
    check: guess("How many updates did it take?", ["4", "40", "it never stopped"], 0, "Far below the bound of 742: and without the feature it never came to rest."),
    notes: "Nothing in the loop changes: a linear learner is linear in its features, not in the picture. The certificate speaks of the same space.",
  },
  {
    id: 17, title: "Down the slope", source: "USC",
    link: "data=surface&eta=0.2&steps=300",
    words: [
      "Gradient descent walks against the slope of a surface, here f(θ) = ½ (θ₁² − θ₂)² + ½ (θ₁ − 1)², a bent valley with its lowest point at (1, 1).",
      "Play. Then make the rate η small (0.02): it has hardly begun after 300 steps. Make it large (0.9): it flies off. In between it may leap to and fro for ever: try 0.5.",
    ],
    expect: guess("Where is the slope steeper?", ["where lines of equal height are close", "where they are far apart"], 0, "The same step across the map is then a larger step in height."),
    check: guess("With η = 0.2: how near is it after 300 steps?", ["at (1, 1) to four digits", "halfway", "it has flown off"], 0, "f is below 10⁻¹⁰."),
    notes: "The perceptron is such a descent on the perceptron criterion, one example at a time: its slope at a mistake is −y x. `rosenblatt.estimators.neighbours.descend` takes any function.",
  },
  {
    id: 11, title: "w is a sum of points", source: "USC",
    link: "data=points&points=1,2,%2B;2,1,%2B;-1,0.5,-;0.5,-1.5,-;-1,-1,-&order=given&epochs=20&bias=0&unit=update",
    words: [
      "From w = 0, every update adds a point or takes one away. So w is always a sum of training points, each as often as it was a mistake.",
      "Step from update to update and keep the tally.",
    ],
    expect: guess("Can w ever point somewhere that no combination of the points reaches?", ["yes", "no"], 1, "It starts at 0, and only points are added."),
    check: guess("Two updates: point 1 was added, point 3 taken away. What is w at the end?", ["(0, 2.5)", "(1, 2)", "(2, 1.5)"], 2, "(1, 2) − (−1, 0.5) = (2, 1.5)."),
    notes: "The log of updates is the dual: votes, kernels and forgetting an example are sums over it.",
  },
  {
    id: 12, title: "Two steps from logistic regression", source: "UW",
    link: "data=blobs&n=60&margin=0.1&dataseed=7&epochs=15&learner=logistic&learner2=perceptron",
    words: [
      "Logistic regression, example by example, moves by rate · σ(−ya): much where it is wrong, a little where it is right.",
      "Make that prediction hard, 1 where it is wrong and 0 where it is right, and you have the perceptron: one loop, two rules.",
    ],
    expect: guess("Which of the two comes to rest?", ["logistic", "perceptron", "both"], 1, "σ is never 0: logistic regression moves at every example."),
    check: guess("Which ends with the larger margin?", ["logistic", "perceptron"], 0, "70 % of the largest against 10 %: it goes on pushing where the perceptron is content."),
    notes: "Step by example and compare τ: σ(−ya) on the left, 0 or 1 on the right (F follows the other).",
  },
  {
    id: 5, title: "Noise, and the calm of many", source: "UW",
    link: "data=blobs&n=120&margin=0.02&noise=0.08&dataseed=5&epochs=15&view=all&unit=update",
    words: [
      "Some labels are wrong, so the last weights thrash to the very end. Play, and compare the three pictures.",
      "The average of all weights hardly moves any more. The vote of all weights, each as often as it survived an example, gives a bent border.",
      "Freund and Schapire's voted perceptron is exact; the average is nearly as good and costs one vector.",
    ],
    expect: guess("Will the last weights come to rest?", ["yes", "no"], 1, "No line separates these points: there are wrong ones in every epoch."),
    check: guess("Which border may be bent?", ["last", "averaged", "voted"], 2, "A vote of many lines is no line."),
    notes: "Mistakes per epoch do not fall after the first epochs: that is what noise looks like.",
  },
  {
    id: 18, title: "The highest score wins", source: "UW",
    link: "data=points&points=0,2,a;2,-1,b;-2,-1,c;0.5,1.5,a;1.5,-1.5,b;-1,-1.5,c;1.5,0.5,b&k=3&order=given&epochs=20&bias=0",
    words: [
      "Three classes, and a weight vector for each. The one whose score w·x is highest wins: the plane falls into three regions.",
      "At a mistake the right class gains x, and its rival, the highest of the others, loses it. The third is left alone.",
      "Step, and watch two arrows move at each mistake.",
    ],
    expect: guess("At first all scores are 0. Is point 1 a mistake?", ["yes", "no"], 0, "It leads by 0, and that counts as a mistake, as with two classes. Of rivals that are equal the first is taken: B."),
    check: guess("How many updates were made?", ["1", "2", "7"], 1, "At point 1, A against B; at point 3, C against B."),
    notes: "Ask what the line between A and B is: where (w_A − w_B)·x = 0. Two classes are the same with w = w_B − w_A. The bound is 2R²∕γ², since an update moves two vectors.",
  },
  {
    id: 19, title: "Trained too long", source: "UW",
    link: "data=blobs&n=60&margin=0&noise=0.15&dataseed=366&epochs=40&learner=averaged&features=x1x1,x2x2,x1x2&holdout=0.5&unit=update",
    words: [
      "Half of the points are held out (hollow): nothing is learned from them. Some labels are wrong, and three features more let the border bend towards them.",
      "Play, and watch the held-out error on the right: it falls, and then it rises again, while mistakes on the learned points grow fewer.",
      "So stop early, and take the weights of the best epoch, not the last.",
    ],
    expect: guess("When is the held-out error least?", ["at the end", "before the end"], 1, "After epoch 8: 6.7 %."),
    check: guess("What is it at the end?", ["0 %", "6.7 %", "23.3 %"], 2, "7 of 30 points, where 2 of 30 were wrong after epoch 8."),
    notes: "These points were chosen among 400 draws because they show it so plainly; try other seeds, and see how often it is hard to tell. `early_stopping=True` and `train --holdout` return the best weights.",
  },
  {
    id: 6, title: "How far to move", source: "Oregon State",
    link: "data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner=perceptron&learner2=mira&p2=0.9",
    words: [
      "The perceptron adds the whole point, whether it was missed by a hair or by a mile. MIRA makes the smallest change that gives it margin 1.",
      "With p = 0.9 it also moves for points that are right, but too close: the margin band becomes wider, in more updates. Drag p towards 0.",
      "Then try passive-aggressive and logistic in its place: the same loop, another τ.",
    ],
    expect: guess("Who makes more updates?", ["the perceptron", "MIRA with p = 0.9"], 1, "130 against 11: it also moves for points that are right, but close."),
    check: guess("What does MIRA get for them?", ["a larger margin", "fewer epochs"], 0, "98 % of the largest margin, against 7 %."),
    notes: "At every update of MIRA the margin of its point becomes exactly 1: read it off “Why it helps”.",
  },
  {
    id: 20, title: "Points far away", source: "Oregon State",
    link: "data=points&points=-1,0.5,-;-1.5,-0.5,-;-0.6,1,-;-1.2,-1,-;-0.5,-0.2,-;0.5,0.4,%2B;1,-0.6,%2B;1.4,0.8,%2B;0.4,-1,%2B;0.6,1.1,%2B;6,0.3,%2B;7,-0.4,%2B;8,0.6,%2B;7.5,-0.8,%2B;6.5,0,%2B;8.5,0.2,%2B&order=given&epochs=200&learner=widrow-hoff&rate=0.003&learner2=logistic&unit=update&speed=max",
    words: [
      "Linear regression (Widrow-Hoff) wants every score to be +1 or −1. Six positive points lie far away on the right, and no doubt about them.",
      "But a line through ±1 that has to reach them at +1, too, must be flat: so it pays with the points in the middle. Logistic regression has a sigmoid, which is flat far away: there nothing is left to gain.",
      "Remove the far points, and both lines stand near 0.",
    ],
    expect: guess("Which of the two lines do the far points move?", ["linear", "logistic", "both"], 0, "Their squared error grows with the distance; σ(−ya) there is almost 0."),
    check: guess("Point 9, (0.4, −1), is positive. Who has it wrong?", ["linear", "logistic"], 0, "Its line crosses the axis at 0.5, where the logistic one crosses near 0."),
    notes: "`rosenblatt lab distant-points` measures it. “What is predicted”, among the charts, shows the straight line and the sigmoid (F follows the other).",
  },
  {
    id: 13, title: "Scale first", source: "Oregon State",
    link: "data=points&points=10,1,%2B;20,1.5,%2B;30,1.2,%2B;15,0.2,-;25,-0.3,-;35,0.1,-&order=given&epochs=100&unit=update",
    words: [
      "One column spreads thirty times as wide as the other, and only the narrow one tells the classes apart.",
      "Play to the end; then centre and scale the columns (Training, on the left), and play again.",
    ],
    expect: guess("R is 35. How will the bound R²∕γ² change when both columns have the same spread?", ["it grows", "it falls"], 1, "From 8,320 to 9: R falls to 1.9, and γ grows."),
    check: guess("189 updates raw. And scaled?", ["2", "100", "189"], 0, "The narrow column is heard at once."),
    notes: "`rosenblatt train` scales by itself; `rosenblatt lab scaling` measures error, R and γ.",
  },
  {
    id: 14, title: "One vector more", source: "Oregon State",
    link: "data=blobs&n=100&margin=0.05&noise=0.1&dataseed=8&epochs=10&learner=averaged&unit=update",
    words: [
      "The averaged perceptron predicts with the mean of all its weights. Naively that adds every vector at every example.",
      "Daumé's trick: a change at example t is missing from the t weights before it. Sum t times each change in one more vector u; the average after T examples is (T w − u) ∕ T.",
    ],
    expect: guess("Will the averaged line move more or less from update to update than the last one?", ["more", "less"], 1, "After T examples one update moves the mean by about 1∕T of its size."),
    check: guess("How many extra vectors does averaging keep?", ["1", "as many as examples"], 0, "u, whatever T is."),
    notes: "Switch between Last and Averaged (V) while it plays.",
  },
];
