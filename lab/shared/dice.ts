/** A seeded random number generator. */
export interface Dice {
  /** In [0, 1). */
  readonly fraction: () => number;
  /** An integer from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** One of the items, of which there must be one. */
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32, by Tommy Ettinger. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    pick: (items) => items[whole(0, items.length - 1)] as (typeof items)[number],
    shuffle(items) {
      const rest = [...items];
      return items.flatMap(() => rest.splice(whole(0, rest.length - 1), 1));
    },
  };
}
