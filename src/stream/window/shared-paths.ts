/**
 * Which segments of a live window have a path that viewers share, and for how long. Every path lives for the same time from
 * the moment at which it could first be known, regardless of who requests it and when. That is when its segment begins. The
 * preload hint names the first part of the next segment earlier, when a segment ends.
 *
 * After a discontinuity the hinted path is not used: otherwise a camera that was offline for an hour would continue under a
 * path that was known an hour ago.
 */

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { PathSigner } from './path-signer.ts';

export interface SharedPathOptions {
  readonly signer: PathSigner;
  /** How long a path lives. */
  readonly lifeMs: number;
}

/**
 * A playlist does not list a segment whose path ends sooner: players load what they find there within a few seconds. It is
 * also the longest time for which a segment may be hinted before it begins.
 */
export const MIN_LISTED_LIFE_MS = 5_000;
/** In target durations: three in a playlist (RFC 8216bis §6.2.2), the oldest of them until the next is complete. */
const LISTED = 5;

/** How long paths must live so that a playlist can list enough of them. */
export function neededLifeMs(targetDurationSec: number): number {
  return LISTED * targetDurationSec * 1_000 + MIN_LISTED_LIFE_MS;
}

/** State that another thread needs to continue. */
export interface SharedPathState {
  readonly msn: number;
  readonly discontinuitySequence: number;
  /** Until the path ends. */
  readonly leftMs: number;
  readonly isShared: boolean;
}

interface SharedPath {
  readonly msn: number;
  readonly discontinuitySequence: number;
  readonly endsAtMonoMs: number;
  /** false: its segments are too long for the life of a path, so viewers get it under their own. */
  readonly isShared: boolean;
  /** Made when it is first needed. */
  signature: string | null;
}

export class SharedPaths {
  readonly #clock: Clock;
  readonly #signer: PathSigner;
  readonly #lifeMs: number;
  /** Ascending, the hinted one last. */
  readonly #paths: SharedPath[] = [];

  constructor(clock: Clock, { signer, lifeMs }: SharedPathOptions) {
    this.#clock = clock;
    this.#signer = signer;
    this.#lifeMs = lifeMs;
  }

  /** Continues where the paths of another window ended. */
  restore(states: readonly SharedPathState[]): void {
    const nowMonoMs = this.#clock.monoMs();
    this.#paths.length = 0;
    for (const { msn, discontinuitySequence, leftMs, isShared } of states) {
      const endsAtMonoMs = nowMonoMs + leftMs;
      this.#paths.push({ msn, discontinuitySequence, endsAtMonoMs, isShared, signature: null });
    }
  }

  state(): SharedPathState[] {
    const nowMonoMs = this.#clock.monoMs();
    return this.#paths.map(({ msn, discontinuitySequence, endsAtMonoMs, isShared }) => {
      return { msn, discontinuitySequence, leftMs: endsAtMonoMs - nowMonoMs, isShared };
    });
  }

  /** The paths of this segment can be known from now on, unless they already were. */
  announce(msn: number, discontinuitySequence: number, targetDurationSec: number): void {
    const last = this.#paths.at(-1);
    if (last?.msn === msn) {
      if (last.discontinuitySequence === discontinuitySequence) return;
      this.#paths.pop();
    }
    const endsAtMonoMs = this.#clock.monoMs() + this.#lifeMs;
    const isShared = this.#lifeMs >= neededLifeMs(targetDurationSec);
    this.#paths.push({ msn, discontinuitySequence, endsAtMonoMs, isShared, signature: null });
  }

  /** Segments with lower numbers no longer exist. */
  forgetBefore(msn: number): void {
    while (this.#paths.length > 0 && this.#paths[0]!.msn < msn) this.#paths.shift();
  }

  /** Where players find the segment, relative to the playlist; '' for the playlist's own folder. */
  folderOf(msn: number): string {
    const path = this.#find(msn);
    if (path === undefined || !path.isShared) return '';
    return `${this.#signer.folder}${this.#signatureOf(path)}/`;
  }

  /** How long the path remains live; 0: it ended, or never existed. */
  leftMs(msn: number, signature: string): number {
    const path = this.#find(msn);
    if (path === undefined || !path.isShared || !isSame(this.#signatureOf(path), signature)) return 0;
    return Math.max(0, path.endsAtMonoMs - this.#clock.monoMs());
  }

  /** How many of the segments at the front a playlist cannot list, because their paths end too soon; never all. */
  firstListable(segments: readonly { readonly msn: number }[]): number {
    const last = segments.findLastIndex(({ msn }) => !this.#isListable(msn));
    return Math.min(last + 1, segments.length - 1);
  }

  #isListable(msn: number): boolean {
    const path = this.#find(msn);
    if (path === undefined || !path.isShared) return true;
    return path.endsAtMonoMs - this.#clock.monoMs() >= MIN_LISTED_LIFE_MS;
  }

  #find(msn: number): SharedPath | undefined {
    const [oldest, newest] = [this.#paths[0], this.#paths.at(-1)];
    if (oldest === undefined || newest === undefined || msn > newest.msn) return undefined;
    const path = this.#paths[this.#paths.length - 1 - (newest.msn - msn)];
    if (path?.msn === msn) return path;
    // The path may date from before the numbers jumped.
    const former = this.#paths[msn - oldest.msn];
    return former?.msn === msn ? former : undefined;
  }

  #signatureOf(path: SharedPath): string {
    path.signature ??= this.#signer.sign(path.msn, path.discontinuitySequence);
    return path.signature;
  }
}

/** In constant time. */
function isSame(one: string, other: string): boolean {
  const bytes = Buffer.from(other);
  return bytes.length === one.length && timingSafeEqual(Buffer.from(one), bytes);
}
