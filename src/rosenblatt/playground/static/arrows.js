// How long the arrows of a run are drawn: one scale for all of its weights, so that arrows of two steps can be compared.

const STEPS = [1, 2, 5]; // and their tenths and tens
const EDGE = 8; // pixels that arrows keep away from the edge
const SHORT = 24; // pixels: a run whose longest arrow is shorter is drawn larger
const SMALLEST = 1e-300;

// The number by which w is multiplied before it is drawn in the frame: 1, if all arrows of the run fit so and can be seen.
export function arrowScale(reach, frame) {
  const fits = (scale) => [[reach[0], 0], [reach[1], 0], [0, reach[2]], [0, reach[3]]].every(
    ([w1, w2]) => inside(frame.toPixels([w1 * scale, w2 * scale]), frame)
  );
  const longest = Math.max(...reach.map(Math.abs));
  if (!(longest > 0)) return 1;
  const next = (scale, direction) => {
    const power = 10 ** Math.floor(Math.log10(scale) + 1e-9);
    const place = STEPS.indexOf(Math.round(scale / power)) + direction;
    return place < 0 ? (5 * power) / 10 : place > 2 ? 10 * power : STEPS[place] * power;
  };
  let scale = 1;
  while (scale > SMALLEST && !fits(scale)) scale = next(scale, -1);
  while (longest * scale * frame.unit < SHORT && fits(next(scale, 1))) scale = next(scale, 1);
  return Number(scale.toPrecision(1));
}

// Is a pixel in the picture, and no closer to an edge than the origin is, or than arrows keep?
function inside([px, py], frame) {
  const [x0, y0] = frame.toPixels([0, 0]);
  const away = (value, from, most) => Math.min(value, most - value) >= Math.min(EDGE, from, most - from);
  return away(px, x0, frame.width) && away(py, y0, frame.height);
}
