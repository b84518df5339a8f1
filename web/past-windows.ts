/**
 * Recorded times, as the timeline draws them: read in blocks of four hours, so that all pages request the
 * same ones.
 */

import { gatewayEpochMs, type PastHours, type PastWindow, readPastHours, readPastWindows } from './open.ts';

const BLOCK_MS = 4 * 3_600_000;
const HOUR_MS = 3_600_000;
/** A block that is being recorded is read again after the first of these, an older one after the second: clips may be added. */
const GROWING_MS = 15_000;
const SETTLED_MS = 300_000;
const SETTLED_AFTER_MS = 60_000;
/** Sooner while there are none. */
const READ_HOURS_MS = 300_000;
const MAX_BLOCKS = 64;
/** Between two segments. */
const SAME_WINDOW_MS = 1_000;

interface Block {
  readonly windows: readonly PastWindow[];
  readonly readAtMs: number;
}

export class PastWindows {
  readonly #onChange: () => void;
  readonly #blocks = new Map<number, Block>();
  #pastUrl: string | null = null;
  /** Raised when everything is forgotten: answers about another camera are ignored. */
  #camera = 0;
  #isReading = false;
  #hours: PastHours = [];
  #hoursReadAtMs = Number.NEGATIVE_INFINITY;

  /** `onChange`: called when more is known. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Opens this share's past; null: forgets everything. */
  open(pastUrl: string | null): void {
    // Every grant has a path of its own; all show the same past.
    this.#pastUrl = pastUrl;
    if (pastUrl !== null) return;
    this.#camera++;
    this.#blocks.clear();
    this.#hours = [];
    this.#hoursReadAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Hours with video, ascending; empty until they are known. */
  get hours(): PastHours {
    return this.#hours;
  }

  /** The first hour with video; null: unknown, or there is none. */
  get firstMs(): number | null {
    const [first] = this.#hours;
    return first === undefined ? null : first[0] * HOUR_MS;
  }

  /** Known recordings within the time, joined. Reads missing or old blocks, one at a time. */
  within(startMs: number, endMs: number): readonly PastWindow[] {
    const joined: { fromMs: number; toMs: number }[] = [];
    for (const blockMs of blocksOf(startMs, endMs)) {
      for (const { fromMs, toMs } of this.#blocks.get(blockMs)?.windows ?? []) {
        if (toMs <= startMs || fromMs >= endMs) continue;
        const last = joined.at(-1);
        if (last !== undefined && Math.abs(fromMs - last.toMs) < SAME_WINDOW_MS) last.toMs = toMs;
        else joined.push({ fromMs, toMs });
      }
    }
    void this.#readNext(startMs, endMs);
    return joined;
  }

  /** Whether all of the time has been read, as far as it may have video. */
  isKnown(startMs: number, endMs: number): boolean {
    const firstMs = this.firstMs ?? Number.NEGATIVE_INFINITY;
    return blocksOf(startMs, Math.min(endMs, gatewayEpochMs())).every(
      (blockMs) => this.#blocks.has(blockMs) || blockMs + BLOCK_MS <= firstMs,
    );
  }

  /**
   * Where the recording continues at or after the instant, to the hour if it is far off; null: nowhere that
   * is known.
   */
  nextHour(epochMs: number): number | null {
    for (const [hour, count] of this.#hours) {
      if ((hour + count) * HOUR_MS > epochMs) return Math.max(epochMs, hour * HOUR_MS);
    }
    return null;
  }

  /** Asks again for the hours, however new they are. */
  async readHours(): Promise<void> {
    const pastUrl = this.#pastUrl;
    this.#hoursReadAtMs = performance.now();
    const camera = this.#camera;
    const hours = pastUrl === null ? null : await readPastHours(pastUrl);
    if (hours === null || camera !== this.#camera) return;
    this.#hours = hours;
    this.#onChange();
  }

  /** Reads the hours first: it requests no block that the share does not show. */
  async #readNext(startMs: number, endMs: number): Promise<void> {
    const pastUrl = this.#pastUrl;
    if (pastUrl === null || this.#isReading) return;
    const nowMs = performance.now();
    const { firstMs } = this;
    if (nowMs - this.#hoursReadAtMs > (firstMs === null ? GROWING_MS : READ_HOURS_MS)) {
      this.#isReading = true;
      await this.readHours();
      this.#isReading = false;
      void this.#readNext(startMs, endMs);
      return;
    }
    if (firstMs === null) return;
    const due = blocksOf(startMs, Math.min(endMs, gatewayEpochMs())).find((blockMs) => {
      const known = this.#blocks.get(blockMs);
      if (known === undefined) return blockMs + BLOCK_MS > firstMs;
      const isGrowing = blockMs + BLOCK_MS > gatewayEpochMs() - SETTLED_AFTER_MS;
      return nowMs - known.readAtMs > (isGrowing ? GROWING_MS : SETTLED_MS);
    });
    if (due === undefined) return;
    this.#isReading = true;
    const camera = this.#camera;
    const windows = await readPastWindows(pastUrl, due / 1_000, BLOCK_MS / 1_000);
    this.#isReading = false;
    if (camera !== this.#camera) return;
    // Without a response, the known windows stay until the next try.
    this.#blocks.set(due, { windows: windows ?? this.#blocks.get(due)?.windows ?? [], readAtMs: nowMs });
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    this.#onChange();
  }
}

/** The blocks that have any of the time. */
function blocksOf(startMs: number, endMs: number): number[] {
  const blocks: number[] = [];
  for (let at = Math.floor(startMs / BLOCK_MS) * BLOCK_MS; at < endMs; at += BLOCK_MS) blocks.push(at);
  return blocks;
}
