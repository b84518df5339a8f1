/**
 * Recorded video for one RTSP client, from a time on: whole segments, as they were recorded, in the pace of the recording or as fast as
 * the client reads. What the viewer may see is decided again before each segment. Gaps are skipped. It reads one segment at a time, within
 * the limits on reads of the past, and waits for a client that does not keep up.
 */

import type { AccessUnit, CodedTrack } from '../../codec/track.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import { FragmentReader } from '../../isobmff/fragment-reader.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import { endEpochMs, type RecordedSegment, type RecordedStream } from '../../recording/segment-index.ts';
import type { ClockRange } from '../../rtsp/server/clock-range.ts';
import type { PastAccess } from '../../sharing/past-access.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { PastBudget } from '../past/past-budget.ts';

export interface ReplayPast {
  readonly media: Pick<PastMedia, 'segments' | 'seek' | 'hours' | 'read'>;
  readonly access: Pick<PastAccess, 'spans'>;
  readonly budget: Pick<PastBudget, 'enter' | 'take'>;
}

export interface ReplayedUnit {
  /** Borrowed. */
  readonly unit: AccessUnit;
  /** When it was recorded: presentation time, epoch milliseconds. */
  readonly epochMs: number;
  /** Something before it is missing. */
  readonly isAfterGap: boolean;
}

export interface ReplayEvents {
  /** Before the first unit, and again if they change. False: they differ from the session description. */
  onTracks(tracks: readonly CodedTrack[]): boolean;
  onUnit(replayed: ReplayedUnit): void;
  /** More may wait for the client. */
  hasRoom(): boolean;
  /** Once, unless it was stopped: nothing more is recorded, or may be seen; or why reading failed. */
  onEnd(error: GatewayError | null): void;
}

export interface ReplayOptions {
  readonly past: ReplayPast;
  readonly session: ViewerSession;
  readonly stream: RecordedStream;
  readonly range: ClockRange;
  readonly isUnpaced: boolean;
  readonly clock: Clock;
  readonly events: ReplayEvents;
}

/** How much is looked up at a time. */
const LOOK_MS = 60_000;
/** Longer than any segment. */
const EDGE_MS = 60_000;
/** Times of segments are whole milliseconds. */
const SAME_MS = 5;
/** A client that is this far ahead of the recording's pace waits. */
const LEAD_MS = 100;
/** How often a client that does not keep up is looked at. */
const ROOM_WAIT_MS = 20;
/** Rights end within a second. */
const DECIDED_FOR_MS = 500;
/** The least step over what is found and not listed. */
const STEP_MS = 1_000;
const MS_PER_SEC = 1_000;

interface Found {
  readonly name: string;
  readonly segment: RecordedSegment;
}

export class RtspReplay {
  readonly #options: ReplayOptions;
  readonly #stopped = new AbortController();
  readonly #leave: () => void;
  /** Where the clock of the recording and ours meet; null before the first unit, and after a gap. */
  #pace: { readonly epochMs: number; readonly monoMs: number } | null = null;
  #initKey = '';
  #reader: FragmentReader | null = null;
  #isOther = false;
  #units: ReplayedUnit[] = [];
  #segment: RecordedSegment | null = null;
  #tracks: readonly CodedTrack[] = [];
  #isAfterGap = false;
  #decidedMonoMs = Number.NEGATIVE_INFINITY;

  /** Takes its place among reads of the past. Call `start` or `stop`. Fails TOO_MANY_PAST_READS. */
  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#leave = options.past.budget.enter(options.session);
  }

  start(): void {
    const { session } = this.#options;
    session.hasWatchedPast = true;
    session.notePast('rtsp');
    this.#run().then(
      () => this.#end(null),
      (thrown: unknown) => this.#end(toGatewayError(thrown)),
    );
  }

  /** No event comes afterwards. Idempotent. */
  stop(): void {
    this.#stopped.abort();
    this.#leave();
  }

  #end(error: GatewayError | null): void {
    if (this.#stopped.signal.aborted) return;
    this.stop();
    this.#options.events.onEnd(error);
  }

  async #run(): Promise<void> {
    const { clock, range } = this.#options;
    let atMs = range.fromMs;
    for (;;) {
      const endMs = Math.min(range.toMs ?? Number.POSITIVE_INFINITY, clock.epochMs());
      const found = atMs >= endMs ? [] : await this.#find(atMs, Math.min(atMs + LOOK_MS, endMs));
      if (found.length === 0) {
        const nextMs = await this.#nextMs(atMs, endMs);
        if (nextMs === null) return;
        atMs = nextMs;
        continue;
      }
      for (const each of found) {
        if (!(await this.#play(each)) || this.#stopped.signal.aborted) return;
        atMs = Math.max(atMs, endEpochMs(each.segment));
      }
    }
  }

  /** Segments that were not played yet, in order. */
  async #find(fromMs: number, toMs: number): Promise<Found[]> {
    const { past, stream } = this.#options;
    const files = await past.media.segments(stream, fromMs, toMs);
    const found = files.flatMap(({ name, segments }) => segments.map((segment) => ({ name, segment })));
    return found.filter(({ segment }) => endEpochMs(segment) > fromMs + SAME_MS);
  }

  /** Where something is recorded after a gap; null: nowhere before the end. */
  async #nextMs(atMs: number, endMs: number): Promise<number | null> {
    const { past, stream } = this.#options;
    const next = atMs >= endMs ? null : await past.media.seek(stream, atMs + SAME_MS);
    if (next === null) return null;
    const { epochMs } = next.segment;
    if (epochMs >= endMs) return null;
    return epochMs > atMs ? epochMs : atMs + STEP_MS;
  }

  /** Plays a segment, unless the viewer may not see it. False: it is over. */
  async #play({ name, segment }: Found): Promise<boolean> {
    const { past, session } = this.#options;
    if (!this.#maySee(segment)) {
      this.#noteGap();
      return true;
    }
    const before = this.#segment;
    const isNext = before !== null && Math.abs(segment.epochMs - endEpochMs(before)) <= SAME_MS;
    if (before !== null && !isNext) this.#noteGap();
    const giveBack = past.budget.take(session, segment.byteLength);
    try {
      await this.#read(name, segment);
      if (this.#isOther) return false;
      for (const replayed of this.#units) {
        if (!(await this.#turn(replayed)) || !this.#maySeeStill(segment)) return false;
        this.#options.events.onUnit(replayed);
      }
    } finally {
      this.#units = [];
      giveBack();
    }
    return true;
  }

  #noteGap(): void {
    this.#isAfterGap = true;
    this.#pace = null;
  }

  /** Decides again after a while. */
  #maySeeStill(segment: RecordedSegment): boolean {
    const nowMonoMs = this.#options.clock.monoMs();
    if (nowMonoMs - this.#decidedMonoMs < DECIDED_FOR_MS) return true;
    return this.#maySee(segment);
  }

  /** A segment is shown as a whole or not at all. */
  #maySee(segment: RecordedSegment): boolean {
    const { past, session, clock } = this.#options;
    this.#decidedMonoMs = clock.monoMs();
    const [fromMs, toMs] = [segment.epochMs, endEpochMs(segment)];
    const spans = past.access.spans(session, fromMs - EDGE_MS, toMs + EDGE_MS) ?? [];
    return spans.some((span) => span.fromMs <= fromMs && span.toMs >= toMs);
  }

  async #read(name: string, segment: RecordedSegment): Promise<void> {
    const { media } = this.#options.past;
    const key = `${name} ${segment.init.offset}`;
    this.#segment = segment;
    if (key !== this.#initKey) {
      // Until its tracks are read.
      this.#isOther = true;
      const init = await media.read(name, segment.init.offset, segment.init.byteLength);
      this.#reader = new FragmentReader({
        onTracks: (tracks) => {
          this.#tracks = tracks;
          this.#isOther = !this.#options.events.onTracks(tracks);
        },
        onSample: (...sample) => this.#onSample(...sample),
      });
      this.#reader.push(init);
      this.#initKey = key;
    }
    const bytes = await media.read(name, segment.offset, segment.byteLength);
    this.#reader!.push(bytes);
  }

  #onSample(trackIndex: number, dtsTicks: number, ptsTicks: number, isKey: boolean, data: Uint8Array): void {
    const segment = this.#segment!;
    const { timescaleHz } = this.#tracks[trackIndex]!;
    const startMs = (segment.startTicks * MS_PER_SEC) / segment.timescaleHz;
    const epochMs = segment.epochMs + (ptsTicks * MS_PER_SEC) / timescaleHz - startMs;
    // The reader may use its memory again.
    const unit = { trackIndex, dtsTicks, ptsTicks, isKey, data: Buffer.from(data), arrivalMonoMs: 0 };
    this.#units.push({ unit, epochMs, isAfterGap: this.#isAfterGap });
    this.#isAfterGap = false;
  }

  /** Resolves when it is time for a unit, and the client has room. False: it was stopped. */
  async #turn({ epochMs }: ReplayedUnit): Promise<boolean> {
    const { clock, events, isUnpaced } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted && !events.hasRoom()) await pause(clock, ROOM_WAIT_MS, signal);
    if (isUnpaced || signal.aborted) return !signal.aborted;
    this.#pace ??= { epochMs, monoMs: clock.monoMs() };
    const dueMs = this.#pace.monoMs + epochMs - this.#pace.epochMs - clock.monoMs();
    if (dueMs > LEAD_MS) await pause(clock, dueMs, signal);
    return !signal.aborted;
  }
}
