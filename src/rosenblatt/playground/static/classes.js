// The classes of points: two, whose labels are 1 and -1, or more, whose labels are letters.

export const LETTERS = ["a", "b", "c", "d", "e"];
const LETTERED = ["blobs", "ordered"]; // recipes that can make more than two classes

// Do the points of a state have letters for labels?
export function isLettered({ data, k, points }) {
  if (data === "points") return points.length ? typeof points[0][2] === "string" : k > 2;
  return k > 2 && LETTERED.includes(data);
}

// The labels that a point of a state can have.
export const labelsOf = (state) => (isLettered(state) ? LETTERS.slice(0, Math.max(state.k, 2)) : [1, -1]);

// The points with labels for k classes.
export function relabelled(list, k) {
  return list.map(([x, y, label]) => {
    const code = typeof label === "string" ? LETTERS.indexOf(label) : label > 0 ? 0 : 1;
    return [x, y, k > 2 ? LETTERS[Math.min(code, k - 1)] : code === 0 ? 1 : -1];
  });
}

// The label of point i of a run, as lists of points have it.
export const labelAt = ({ letters, y, vectors }, i) => (
  letters?.length ? letters[vectors > 1 ? y[i] : (y[i] + 1) / 2] : y[i]
);

// How a label is written, called aloud, and coloured.
export const signOf = (label) => (typeof label === "string" ? label.toUpperCase() : label > 0 ? "+" : "−");
export const spokenLabel = (label) => (typeof label === "string" ? label.toUpperCase() : label > 0 ? "positive" : "negative");
export const colourOf = (label) => (typeof label === "string" ? `c${LETTERS.indexOf(label)}` : label > 0 ? "plus" : "minus");
export const nextOf = (label, labels) => labels[(labels.indexOf(label) + 1) % labels.length];
