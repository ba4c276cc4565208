// Random words that a seed fixes for good: numpy's PCG64, seeded as numpy seeds it (O'Neill 2014).

const WORD = (1n << 64n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

export class Pcg64 {
  // `entropy` is a list of whole numbers below 2^32: what the words are for, and the seed.
  constructor(entropy) {
    const [seedHigh, seedLow, streamHigh, streamLow] = seedWords(entropy);
    this.step = BigInt.asUintN(128, ((streamHigh << 64n) | streamLow) << 1n) | 1n;
    this.state = this.step;
    this.state = this.after(this.state + ((seedHigh << 64n) | seedLow));
  }

  after(state) {
    return BigInt.asUintN(128, state * MULTIPLIER + this.step);
  }

  // The next word of 64 bits: the two halves of the state, one xor the other, turned by its highest bits.
  next() {
    this.state = this.after(this.state);
    const mixed = (this.state >> 64n) ^ (this.state & WORD);
    const turn = this.state >> 122n;
    return BigInt.asUintN(64, (mixed >> turn) | (mixed << ((64n - turn) & 63n)));
  }
}

// Four words of 64 bits from a seed, by numpy's SeedSequence.
function seedWords(entropy) {
  let hash = 0x43b0d7e5;
  const hashed = (value) => {
    let mixed = value ^ hash;
    hash = Math.imul(hash, 0x931e8875);
    mixed = Math.imul(mixed, hash);
    return mixed ^ (mixed >>> 16);
  };
  const mix = (x, y) => {
    const mixed = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y);
    return mixed ^ (mixed >>> 16);
  };
  const pool = [0, 1, 2, 3].map((i) => hashed(entropy[i] ?? 0));
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) if (from !== to) pool[to] = mix(pool[to], hashed(pool[from]));
  }
  let second = 0x8b51f9dd;
  const halves = Array.from({ length: 8 }, (_, i) => {
    let word = pool[i % 4] ^ second;
    second = Math.imul(second, 0x58f38ded);
    word = Math.imul(word, second);
    return BigInt((word ^ (word >>> 16)) >>> 0);
  });
  return [0, 2, 4, 6].map((i) => (halves[i + 1] << 32n) | halves[i]);
}

// Numbers for the recipes of points: points.py says which words they come from.
export class SeededRandom {
  constructor(seed) {
    this.bits = new Pcg64([7, seed]);
  }

  // Between 0 and 1, 0 not included.
  uniform(n) {
    return Array.from({ length: n }, () => (Number(this.bits.next() >> 11n) + 0.5) / 2 ** 53);
  }

  // Box and Muller's way from two uniform numbers to a normal one.
  normal(n) {
    const sizes = this.uniform(n).map((u) => Math.sqrt(-2 * Math.log(u)));
    return this.uniform(n).map((u, i) => sizes[i] * Math.cos(2 * Math.PI * u));
  }
}
