/**
 * Plays the clip to one client without end: frames leave on an absolute schedule that cannot drift, timestamps and
 * sequence numbers run on over the loop's seam.
 */

import { randomInt } from 'node:crypto';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Clip } from './clip.ts';
import { type ClipTemplates, type FrameTemplate, stampFrame, VIDEO_CLOCK_HZ } from './rtp-templates.ts';
import { writeSenderReport } from './sender-report.ts';

/** Where one track's packets go. */
export interface TrackOutput {
  /** Interleaved channel; any number for UDP. */
  readonly channel: number;
  sendFrame(template: FrameTemplate, stamped: Buffer): void;
  sendRtcp(packet: Buffer): void;
}

const SENDER_REPORT_INTERVAL_MS = 5_000;
const SAMPLES_PER_AAC_FRAME = 1_024;

/** A track's position and identity. */
class TrackPlayer {
  readonly ssrc = randomInt(0x1_0000_0000);
  readonly #templates: readonly FrameTemplate[];
  readonly #output: TrackOutput;
  readonly #clockHz: number;
  readonly #ticksPerFrame: number;
  readonly #timestampBase = randomInt(0x1_0000_0000);
  #sequenceNumber = randomInt(0x1_0000);
  #next: number;
  #packets = 0;
  #octets = 0;

  constructor(
    templates: readonly FrameTemplate[],
    output: TrackOutput,
    clockHz: number,
    ticksPerFrame: number,
    mediaMs: number,
  ) {
    this.#templates = templates;
    this.#output = output;
    this.#clockHz = clockHz;
    this.#ticksPerFrame = ticksPerFrame;
    this.#next = Math.ceil((mediaMs * clockHz) / 1_000 / ticksPerFrame);
  }

  get sequenceNumber(): number {
    return this.#sequenceNumber;
  }

  /** Media time at which the next frame is due. */
  get dueMs(): number {
    return (this.#next * this.#ticksPerFrame * 1_000) / this.#clockHz;
  }

  timestampAt(mediaMs: number): number {
    return (this.#timestampBase + Math.round((mediaMs * this.#clockHz) / 1_000)) >>> 0;
  }

  sendNext(): void {
    const template = this.#templates[this.#next % this.#templates.length]!;
    const stamped = stampFrame(template, {
      channel: this.#output.channel,
      ssrc: this.ssrc,
      firstSequenceNumber: this.#sequenceNumber,
      rtpTimestamp: (this.#timestampBase + this.#next * this.#ticksPerFrame) >>> 0,
    });
    this.#next++;
    this.#sequenceNumber = (this.#sequenceNumber + template.offsets.length) & 0xffff;
    this.#packets += template.offsets.length;
    this.#octets += stamped.length;
    this.#output.sendFrame(template, stamped);
  }

  report(epochMs: number, mediaMs: number): void {
    const { ssrc } = this;
    const rtpTimestamp = this.timestampAt(mediaMs);
    const counts = { packets: this.#packets, octets: this.#octets };
    this.#output.sendRtcp(writeSenderReport({ ssrc, epochMs, rtpTimestamp, ...counts }));
  }
}

/** What RTP-Info says of a track (RFC 2326 §12.33). */
export interface TrackStart {
  readonly sequenceNumber: number;
  readonly rtpTimestamp: number;
}

export class ClipPlayer {
  readonly #clock: Clock;
  readonly #startMonoMs: number;
  readonly #video: TrackPlayer | null;
  readonly #audio: TrackPlayer | null;
  #timer: TimerHandle | null = null;
  #nextReportMonoMs: number;

  /** `startMonoMs`: media time zero, common to all clients of a camera, so that all see the same picture. */
  constructor(options: {
    clip: Clip;
    templates: ClipTemplates;
    clock: Clock;
    startMonoMs: number;
    video: TrackOutput | null;
    audio: TrackOutput | null;
  }) {
    const { clip, templates, clock, startMonoMs } = options;
    this.#clock = clock;
    this.#startMonoMs = startMonoMs;
    this.#nextReportMonoMs = clock.monoMs();
    const mediaMs = clock.monoMs() - startMonoMs;
    const ticksPerPicture = VIDEO_CLOCK_HZ / clip.fps;
    this.#video =
      options.video === null
        ? null
        : new TrackPlayer(templates.video, options.video, VIDEO_CLOCK_HZ, ticksPerPicture, mediaMs);
    this.#audio =
      options.audio === null || clip.audio === null
        ? null
        : new TrackPlayer(
            templates.audio,
            options.audio,
            clip.audio.sampleRateHz,
            SAMPLES_PER_AAC_FRAME,
            mediaMs,
          );
  }

  videoStart(): TrackStart | null {
    return trackStart(this.#video);
  }

  audioStart(): TrackStart | null {
    return trackStart(this.#audio);
  }

  play(): void {
    this.#tick();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Sends what is due and sleeps until the next frame is. */
  #tick(): void {
    const nowMonoMs = this.#clock.monoMs();
    const mediaMs = nowMonoMs - this.#startMonoMs;
    if (nowMonoMs >= this.#nextReportMonoMs) {
      this.#nextReportMonoMs = nowMonoMs + SENDER_REPORT_INTERVAL_MS;
      this.#video?.report(this.#clock.epochMs(), mediaMs);
      this.#audio?.report(this.#clock.epochMs(), mediaMs);
    }
    let dueMs = Number.POSITIVE_INFINITY;
    for (const track of [this.#video, this.#audio]) {
      if (track === null) continue;
      while (track.dueMs <= mediaMs) track.sendNext();
      dueMs = Math.min(dueMs, track.dueMs);
    }
    this.#timer = this.#clock.after(dueMs - mediaMs, () => this.#tick());
  }
}

function trackStart(track: TrackPlayer | null): TrackStart | null {
  if (track === null) return null;
  return { sequenceNumber: track.sequenceNumber, rtpTimestamp: track.timestampAt(track.dueMs) };
}
