// Points by hand: click adds one (Shift: one of the next class), drag moves, Delete removes.

const NEAR = 5; // pixels that a click may wander

// `edits` has list(), replace(list), select(row), label(shift) for the next point, and toRaw(point) where the columns are scaled.
export function attachPointer(plane, edits) {
  let held = null;
  plane.root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const row = event.target.closest?.("[data-row]");
    held = { row: row ? Number(row.dataset.row) : -1, x: event.clientX, y: event.clientY, moved: false };
    if (held.row >= 0) plane.root.setPointerCapture(event.pointerId);
    edits.select(held.row);
  });
  plane.root.addEventListener("pointermove", (event) => {
    if (!held || (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) < NEAR)) return;
    held.moved = true;
    if (held.row >= 0) edits.move(held.row, rounded(edits.toRaw(plane.pointAt(event)), plane));
  });
  plane.root.addEventListener("pointerup", (event) => {
    if (held && held.row < 0 && !held.moved) {
      const [x, y] = rounded(edits.toRaw(plane.pointAt(event)), plane);
      edits.replace([...edits.list(), [x, y, edits.label(event.shiftKey)]]);
    }
    held = null;
  });
  plane.root.addEventListener("pointercancel", () => { held = null; });
}

// As many decimals as a pixel is worth, at least two.
function rounded(point, plane) {
  const decimals = Math.max(2, Math.min(6, Math.ceil(Math.log10(plane.frame.unit)) - 1));
  return point.map((value) => Number(value.toFixed(decimals)) + 0);
}
