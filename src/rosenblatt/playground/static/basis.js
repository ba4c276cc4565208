// Features beside the coordinates: what is a line in their space is a curve in the plane.

export const PRODUCTS = {
  x1x1: { label: "x₁²", of: (x1, x2) => x1 * x1 },
  x2x2: { label: "x₂²", of: (x1, x2) => x2 * x2 },
  x1x2: { label: "x₁x₂", of: (x1, x2) => x1 * x2 },
};

// The features of a point of the plane: x₁, x₂, and the chosen products.
export const withProducts = ([x1, x2], names) => [x1, x2, ...names.map((name) => PRODUCTS[name].of(x1, x2))];

export const featureLabels = (names) => ["x₁", "x₂", ...names.map((name) => PRODUCTS[name].label)];
