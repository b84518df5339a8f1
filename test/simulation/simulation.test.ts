/**
 * Whole clusters on virtual time (docs/design/simulation.md). `SIMULATION_SEED=n` replays one seed; `SIMULATION_SEEDS` and
 * `SIMULATION_FIRST_SEED` say how many, and where they begin.
 */

import { describe, expect, it } from 'vitest';
import { KNOWN_DEFECTS, type KnownDefect } from './known-defects.ts';
import { type Outcome, simulate } from './simulation.ts';

const DEFAULT_SEEDS = 200;
/** One whose cameras are recorded. */
const RECORDED_SEED = 8;
/** Whatever the machine does meanwhile: a hanging simulation never ends. */
const TEST_TIMEOUT_MS = 30 * 60_000;

function numberOf(name: string, otherwise: number): number {
  const text = process.env[name];
  return text === undefined ? otherwise : Number(text);
}

function seeds(): number[] {
  const one = process.env.SIMULATION_SEED;
  if (one !== undefined) return [Number(one)];
  const first = numberOf('SIMULATION_FIRST_SEED', 1);
  return Array.from({ length: numberOf('SIMULATION_SEEDS', DEFAULT_SEEDS) }, (_, i) => first + i);
}

function report({ seed, failure, trace }: Outcome): string {
  const replay = `SIMULATION_SEED=${seed} npx vitest run --project simulation`;
  return `seed ${seed}: ${failure?.stack}\nReplay it: ${replay}\n${trace}`;
}

describe('simulation', () => {
  it(
    'holds what the design promises, for every seed',
    async () => {
      const seen = new Set<KnownDefect>();
      for (const seed of seeds()) {
        const outcome = await simulate(seed);
        if (outcome.failure !== null) expect.fail(report(outcome));
        expect(outcome.events).toBeGreaterThan(0);
        for (const defect of outcome.knownDefects) seen.add(defect);
      }
      // A defect that is not seen any longer has been repaired.
      if (seeds().length >= DEFAULT_SEEDS)
        expect([...seen].sort()).toEqual(Object.keys(KNOWN_DEFECTS).sort());
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'is the same for the same seed',
    async () => {
      const [first = 1] = seeds();
      for (const seed of [first, RECORDED_SEED]) {
        const [one, other] = [await simulate(seed), await simulate(seed)];
        expect(other.hash).toBe(one.hash);
        expect(other.events).toBe(one.events);
        if (seed === RECORDED_SEED) expect(one.segments).toBeGreaterThan(0);
      }
    },
    TEST_TIMEOUT_MS,
  );
});
