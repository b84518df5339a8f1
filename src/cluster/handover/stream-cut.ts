/**
 * Where the node that gives a camera away stops to publish one of its streams: right before a key frame that the heir has, too
 * (docs/design/cluster.md#drain). Everything up to it is passed on, in order; from it on, nothing is.
 *
 * The same frame reaches two connections to the camera at about the same time. A key frame that the heir has not reported yet is
 * held with all that follows, for a moment: then the report is there, or the frame is passed on. If frames that the heir reports are
 * never those that are here, the camera encodes for each connection: then the stream ends when the heir's next group begins.
 */

import { createHash } from 'node:crypto';
import type { AccessUnit } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { KeptUnits } from '../../stream/kept-units.ts';

/** How long a key frame is held: less than viewers have buffered. */
export const HOLD_MS = 300;
/** Held key frames of which the heir does not know, until the camera is one that encodes for each connection. */
const MAX_UNKNOWN = 2;
/** How long a report counts: a camera whose picture stands still may send the same frame again. */
const REPORT_MS = 2_000;
const MAX_REPORTS = 256;

export interface CutPoint {
  /** Of the heir's frame that comes next. */
  readonly digest: string;
  /** `arrival`: the heir's next frame is another one than the next frame here, from about the same moment. */
  readonly by: 'frame' | 'arrival';
}

export interface StreamCutOptions {
  readonly clock: Clock;
  pass(unit: AccessUnit): void;
  /** Once: nothing is passed on from now on. */
  onCut(point: CutPoint): void;
}

export class StreamCut {
  readonly #options: StreamCutOptions;
  readonly #held = new KeptUnits();
  /** Digests of the heir's key frames, and when they were reported. */
  readonly #reports = new Map<string, number>();
  #isArmed = false;
  #isCut = false;
  #unknown = 0;
  #timer: TimerHandle | null = null;

  constructor(options: StreamCutOptions) {
    this.#options = options;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** The heir has all that was published: the stream can be cut. */
  arm(): void {
    this.#isArmed = true;
  }

  /** Borrowed. `isKey`: the stream can begin with it. */
  push(unit: AccessUnit, isKey: boolean): void {
    if (this.#isCut) return;
    const digest = isKey && this.#isArmed ? digestOf(unit) : null;
    if (digest !== null && this.#isReported(digest)) {
      this.#passHeld();
      this.#cut({ digest, by: 'frame' });
    } else if (!this.#held.isEmpty || (digest !== null && this.#isWorthHolding)) this.#hold(unit, digest);
    else this.#options.pass(unit);
  }

  /** The heir has a key frame with this digest. */
  reported(digest: string): void {
    if (this.#isCut) return;
    this.#reports.delete(digest);
    this.#reports.set(digest, this.#options.clock.monoMs());
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > MAX_REPORTS && oldest !== undefined) this.#reports.delete(oldest);
    if (!this.#isArmed) return;
    const before = this.#held.takeBefore(digest);
    if (before !== null) {
      for (const unit of before) this.#options.pass(unit);
      this.#cut({ digest, by: 'frame' });
    } else if (this.#unknown >= MAX_UNKNOWN) this.#cut({ digest, by: 'arrival' });
  }

  /** Passes on what is held: other tracks follow. */
  flush(): void {
    if (!this.#isCut) this.#passHeld();
  }

  /** Everything that is held or follows is passed on, unless the stream was cut. */
  close(): void {
    this.#isArmed = false;
    this.flush();
  }

  get #isWorthHolding(): boolean {
    return this.#reports.size > 0 && this.#unknown < MAX_UNKNOWN;
  }

  #isReported(digest: string): boolean {
    const atMonoMs = this.#reports.get(digest) ?? Number.NEGATIVE_INFINITY;
    return this.#options.clock.monoMs() - atMonoMs <= REPORT_MS;
  }

  #hold(unit: AccessUnit, digest: string | null): void {
    this.#held.push(unit, digest);
    this.#timer ??= this.#options.clock.after(HOLD_MS, () => this.#missed());
    if (this.#held.isFull) this.#missed();
  }

  #missed(): void {
    this.#unknown++;
    this.#passHeld();
  }

  #passHeld(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (const unit of this.#held.takeAll()) this.#options.pass(unit);
  }

  #cut(point: CutPoint): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isCut = true;
    this.#held.takeAll();
    this.#options.onCut(point);
  }
}

/** Of a coded frame: the same on both connections, if the camera encodes once. */
export function digestOf({ data }: AccessUnit): string {
  return createHash('sha256').update(data).digest('base64url').slice(0, 22);
}
