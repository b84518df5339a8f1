/**
 * A recorder with nothing but RTSP: plays by `Range: clock=` (RFC 2326 §3.7), and is listed by probing, because it has no list. Between
 * two probes that both found something at their time, everything counts as recorded; the ends of gaps are found to the minute.
 */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import {
  type ArchiveSpan,
  joinedSpans,
  type RecorderArchive,
  type ReplayRequest,
} from './recorder-archive.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import { clockTime } from './recorder-times.ts';

/**
 * The first recorded time at or after this one, as the recorder plays it; null: none. Fails RTSP_…, DIRECT_….
 */
export type ProbeTime = (request: ReplayRequest, atMs: number, signal: AbortSignal) => Promise<number | null>;

const STEP_MS = 3_600_000;
const EXACT_MS = 60_000;
/** A day with two dozen gaps. */
const MAX_PROBES = 240;

export class RtspArchive implements RecorderArchive {
  readonly #channel: RecordedChannel;
  readonly #probe: ProbeTime;
  readonly #nowMs: () => number;

  constructor(channel: RecordedChannel, probe: ProbeTime, nowMs: () => number) {
    this.#channel = channel;
    this.#probe = probe;
    this.#nowMs = nowMs;
  }

  async list(fromMs: number, toMs: number, signal: AbortSignal): Promise<readonly ArchiveSpan[]> {
    const untilMs = Math.min(toMs, this.#nowMs());
    const spans: ArchiveSpan[] = [];
    const probes = { left: MAX_PROBES };
    for (let atMs = fromMs; atMs < untilMs; ) {
      const startMs = await this.#firstFrom(atMs, untilMs, probes, signal);
      if (startMs === null || startMs >= untilMs) break;
      let endMs = startMs;
      while (endMs < untilMs) {
        const nextMs = Math.min(endMs + STEP_MS, untilMs);
        if (nextMs < untilMs && (await this.#isAt(nextMs, untilMs, probes, signal))) endMs = nextMs;
        else {
          endMs = await this.#lastBefore(endMs, nextMs, untilMs, probes, signal);
          break;
        }
      }
      spans.push({ fromMs: startMs, toMs: Math.max(endMs, startMs + 1_000) });
      atMs = Math.max(endMs, startMs) + EXACT_MS;
    }
    return joinedSpans(spans, fromMs, toMs);
  }

  replay(fromMs: number, toMs: number): Promise<ReplayRequest> {
    const range = `clock=${clockTime(fromMs)}-${clockTime(toMs)}`;
    const fields = { setup: [], play: [['Range', range]] as const };
    return Promise.resolve({ url: this.#channel.rtspUrl, fields, offsetMs: 0 });
  }

  async #firstFrom(
    atMs: number,
    untilMs: number,
    probes: { left: number },
    signal: AbortSignal,
  ): Promise<number | null> {
    for (let tryMs = atMs; tryMs < untilMs; tryMs += STEP_MS) {
      const foundMs = await this.#played(tryMs, untilMs, probes, signal);
      if (foundMs === null) continue;
      if (foundMs > tryMs + EXACT_MS || tryMs === atMs) return Math.max(foundMs, atMs);
      // Something begins since the last probe.
      let lowMs = tryMs - STEP_MS;
      let highMs = tryMs;
      while (highMs - lowMs > EXACT_MS) {
        const middleMs = Math.round((lowMs + highMs) / 2);
        if (await this.#isAt(middleMs, untilMs, probes, signal)) highMs = middleMs;
        else lowMs = middleMs;
      }
      return highMs;
    }
    return null;
  }

  async #lastBefore(
    fromMs: number,
    toMs: number,
    untilMs: number,
    probes: { left: number },
    signal: AbortSignal,
  ): Promise<number> {
    let lowMs = fromMs;
    let highMs = toMs;
    // The last minute is recorded if what is before it is, and nothing comes after the end.
    if (toMs === untilMs && (await this.#isAt(toMs - EXACT_MS, untilMs, probes, signal))) return toMs;
    while (highMs - lowMs > EXACT_MS) {
      const middleMs = Math.round((lowMs + highMs) / 2);
      if (await this.#isAt(middleMs, untilMs, probes, signal)) lowMs = middleMs;
      else highMs = middleMs;
    }
    return lowMs;
  }

  async #isAt(
    atMs: number,
    untilMs: number,
    probes: { left: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const foundMs = await this.#played(atMs, untilMs, probes, signal);
    return foundMs !== null && foundMs <= atMs + EXACT_MS;
  }

  async #played(
    atMs: number,
    untilMs: number,
    probes: { left: number },
    signal: AbortSignal,
  ): Promise<number | null> {
    if (probes.left-- <= 0) return null;
    signal.throwIfAborted();
    try {
      return await this.#probe(await this.replay(atMs, untilMs), atMs, signal);
    } catch (thrown) {
      if (isNothingThere(thrown)) return null;
      throw thrown;
    }
  }
}

/** 404, 416, 457 (Invalid Range), and what else servers refuse PLAY with. */
function isNothingThere(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return false;
  return thrown.code === RTSP_ERRORS.RTSP_NOT_FOUND.code || thrown.code === RTSP_ERRORS.RTSP_REFUSED.code;
}
