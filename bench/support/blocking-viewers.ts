/**
 * Thousands of blocking viewers of one stream. They are a C program, blocking-viewers.c, because load and gateway share the
 * cores: nine tenths of its processor time is the kernel's.
 */

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const SOURCE = join(import.meta.dirname, 'blocking-viewers.c');
/**
 * A player requests the next playlist when it has parsed the last one. Its request reaches the gateway one round trip of the
 * network after the response left, plus the time that the part takes to arrive: 20 to 100 ms on home and mobile networks.
 * On the gateway's own machine this time is zero, so viewers wait for it here.
 */
const THINK_MS = { shortest: 20, longest: 100 };

/** One kind of response for one part: how many viewers got it, and when, in `hrtimeMs`. */
export interface Served {
  readonly count: number;
  readonly firstMs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

export interface ServedPart {
  readonly playlist: Served;
  readonly part: Served;
}

export interface ViewersReport {
  /** By `MSN.PART`. */
  readonly parts: ReadonlyMap<string, ServedPart>;
  /** Viewers that failed, or skipped parts, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** When it was made. */
  readonly endMs: number;
}

export class BlockingViewers {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #folder: string;
  readonly #lines: string[] = [];
  readonly #playing: Promise<void>;
  readonly #requested: PromiseWithResolvers<number>[] = [];
  readonly #exited: Promise<unknown>;

  /** `folders`: for each viewer, the path of its media playlist up to the last slash. Fails without a C compiler. */
  constructor(port: number, folders: readonly string[]) {
    this.#folder = mkdtempSync(join(tmpdir(), 'sluice-bench-viewers-'));
    const program = join(this.#folder, 'viewers');
    const compiled = spawnSync(process.env.CC ?? 'cc', ['-O2', '-o', program, SOURCE], { stdio: 'inherit' });
    if (compiled.status !== 0) throw new Error(`${SOURCE} needs a C compiler, such as gcc`);
    const args = [port, THINK_MS.shortest, THINK_MS.longest].map(String);
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdin.on('error', () => undefined);
    this.#exited = once(this.#process, 'close');
    const playing = Promise.withResolvers<void>();
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      if (line === 'ready') playing.resolve();
      else if (line.startsWith('responses ')) this.#requested.shift()?.resolve(Number(line.split(' ')[1]));
      else this.#lines.push(line);
    });
    this.#exited.then(() => {
      for (const waiting of [playing, ...this.#requested]) waiting.reject(new Error('the viewers ended'));
    });
    this.#playing = playing.promise;
    this.#process.stdin.write(`${folders.join('\n')}\n\n`);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Resolves when every viewer has requested a part. */
  async play(): Promise<void> {
    await this.#playing;
  }

  /** How many they got so far. */
  responses(): Promise<number> {
    const requested = Promise.withResolvers<number>();
    this.#requested.push(requested);
    this.#process.stdin.write('\n');
    return requested.promise;
  }

  /** Lets all of them get the part that the first of them requested. */
  async finish(): Promise<ViewersReport> {
    this.#process.stdin.end();
    await this.#exited;
    return readReport(this.#lines);
  }

  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A part, and when it was complete, in `hrtimeMs`. */
export interface DuePart {
  readonly msn: number;
  readonly part: number;
  readonly dueMs: number;
}

/** Delays of each part in turn: from its completion to the response of the first, the middle, and the last viewer. */
export interface Delays {
  readonly first: readonly number[];
  readonly median: readonly number[];
  readonly last: readonly number[];
}

/** A viewer that did not get a response counts as served when the report was made: it would have been served later. */
export function delaysOf(
  due: readonly DuePart[],
  { parts, endMs }: ViewersReport,
  viewers: number,
  kind: keyof ServedPart,
): Delays {
  const nobody: Served = { count: 0, firstMs: endMs, medianMs: endMs, lastMs: endMs };
  const served = due.map(({ msn, part }) => parts.get(`${msn}.${part}`)?.[kind] ?? nobody);
  const after = (of: (served: Served) => number): number[] =>
    served.map((one, index) => (one.count === 0 ? endMs : of(one)) - due[index]!.dueMs);
  return {
    first: after(({ firstMs }) => firstMs),
    median: after(({ medianMs }) => medianMs),
    last: after(({ count, lastMs }) => (count < viewers ? endMs : lastMs)),
  };
}

/** `3 closed, 1 status 503`, or `none`. */
export function errorText({ errors }: ViewersReport): string {
  const texts = Object.entries(errors).map(([reason, count]) => `${count} ${reason}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

export function errorCount({ errors }: ViewersReport): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0);
}

function readReport(lines: readonly string[]): ViewersReport {
  const parts = new Map<string, ServedPart>();
  const errors: Record<string, number> = {};
  let endMs: number | null = null;
  for (const line of lines) {
    const [kind, ...words] = line.split(' ');
    if (kind === 'part') {
      const [msn, part, ...numbers] = words;
      const served = (from: number): Served => {
        const [count, firstMs, medianMs, lastMs] = numbers.slice(from, from + 4).map(Number);
        return { count: count!, firstMs: firstMs!, medianMs: medianMs!, lastMs: lastMs! };
      };
      parts.set(`${msn}.${part}`, { playlist: served(0), part: served(4) });
    } else if (kind === 'error') errors[words.slice(1).join(' ')] = Number(words[0]);
    else if (kind === 'end') endMs = Number(words[0]);
  }
  if (endMs === null) throw new Error('the viewers ended without a report');
  return { parts, errors, endMs };
}
