/** Faults of the disk of the recordings. They must not matter to viewers, so only recording waits until they are over. */

import type { Recordings } from './recordings.ts';
import type { World } from './world.ts';

type Undo = () => void;

interface Kind {
  readonly name: string;
  readonly begin: (recordings: Recordings) => Undo;
  /** How long it lasts, milliseconds. */
  readonly from: number;
  readonly to: number;
}

const failing =
  (fault: 'broken' | 'flaky') =>
  ({ disk }: Recordings): Undo => {
    disk.fault = fault;
    return () => {
      disk.fault = null;
    };
  };

const slow =
  (fromMs: number, toMs: number) =>
  ({ disk, random }: Recordings): Undo => {
    disk.latencyMs = random.between(fromMs, toMs);
    return () => {
      disk.latencyMs = 0;
    };
  };

/** Someone else takes the room, all or nearly all. */
const full = ({ disk, random }: Recordings): Undo => {
  disk.fillerBytes = disk.freeBytes - random.pick([0, 1_000, 30_000]);
  return () => {
    disk.fillerBytes = 0;
  };
};

const stuckFile = ({ disk, random }: Recordings): Undo => {
  const { paths } = disk;
  if (paths.length > 0) disk.stuck.add(random.pick(paths));
  return () => disk.stuck.clear();
};

const KINDS: readonly Kind[] = [
  { name: 'disk full', begin: full, from: 1_000, to: 12_000 },
  { name: 'disk slow', begin: slow(50, 1_500), from: 1_000, to: 12_000 },
  { name: 'disk hangs', begin: slow(4_000, 9_000), from: 500, to: 5_000 },
  { name: 'disk broken', begin: failing('broken'), from: 300, to: 10_000 },
  { name: 'disk flaky', begin: failing('flaky'), from: 1_000, to: 12_000 },
  { name: 'file cannot be deleted', begin: stuckFile, from: 5_000, to: 30_000 },
];

export class DiskFaults {
  readonly #world: World;
  readonly #recordings: Recordings;
  readonly #kinds: readonly Kind[];
  readonly #meanPauseMs: number;
  #undo: Undo | null = null;
  #isOver = false;

  constructor(world: World, recordings: Recordings) {
    this.#world = world;
    this.#recordings = recordings;
    const { random } = recordings;
    const share = random.pick([0, 0.3, 0.6]);
    this.#kinds = KINDS.filter(() => random.chance(share));
    this.#meanPauseMs = random.pick([2_000, 6_000]);
  }

  get names(): string {
    return this.#kinds.map(({ name }) => name).join(', ') || 'none';
  }

  begin(): void {
    if (this.#kinds.length === 0 || this.#isOver) return;
    const pauseMs = -Math.log(1 - this.#recordings.random.next()) * this.#meanPauseMs;
    this.#world.after(pauseMs, () => {
      if (!this.#isOver) this.#start();
    });
  }

  /** Ends the fault. */
  end(): void {
    this.#isOver = true;
    this.#undo?.();
  }

  /** One at a time; the next after a pause. */
  #start(): void {
    const { random } = this.#recordings;
    const { name, begin, from, to } = random.pick(this.#kinds);
    const lastsMs = random.between(from, to);
    const { trace } = this.#world;
    trace.note('FAULT', `${name}, for ${Math.round(lastsMs)} ms`);
    const end = begin(this.#recordings);
    const undo = (): void => {
      if (this.#undo !== undo) return;
      this.#undo = null;
      end();
      trace.note('FAULT', `end of: ${name}`);
      this.begin();
    };
    this.#undo = undo;
    this.#world.after(lastsMs, undo);
  }
}
