/**
 * The samples of one camera on their way through a sound server that many cameras share (sound-servers.ts): what comes out
 * has the time of the samples that it was made of. A stream that ends is opened again with the next samples.
 */

import type { Log } from '../../core/log.ts';
import { AUDIO_SAMPLE_RATE_HZ } from '../../ffmpeg/command.ts';
import {
  AAC_FRAME_SAMPLES,
  type EncodedStream,
  OPUS_FRAME_SAMPLES,
  OPUS_PADDING_SAMPLES,
  type ServedFormat,
} from '../../ffmpeg/sound-server.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import { soundRestarts } from './restart-pause.ts';
import { SampleTimes } from './sample-times.ts';
import type { ServedSound, SoundServers } from './sound-servers.ts';
import { WaitingNotice } from './waiting-notice.ts';

/** By how much the first frame begins before the first sample, and the length of each. */
const FRAMES = {
  aac: { paddingSamples: AAC_FRAME_SAMPLES, frameSamples: AAC_FRAME_SAMPLES },
  opus: { paddingSamples: OPUS_PADDING_SAMPLES, frameSamples: OPUS_FRAME_SAMPLES },
} as const;

export interface PooledStreamOptions {
  readonly format: ServedFormat;
  readonly servers: SoundServers;
  /** Of the camera. */
  readonly organization: string;
  readonly log: Log;
}

/** Called synchronously or later; never after `close`. */
export interface PooledStreamEvents {
  /** `ms` is when it begins, on the timeline of the samples. `frame` is borrowed. */
  onFrame(ms: number, frame: Uint8Array): void;
  onWaiting(isWaiting: boolean): void;
  urgency(): Urgency;
}

/** A stream of a server, with its times and frame count. */
interface Served {
  readonly stream: EncodedStream;
  readonly times: SampleTimes;
  frames: number;
}

export class PooledStream {
  readonly #options: PooledStreamOptions;
  readonly #events: PooledStreamEvents;
  readonly #notice: WaitingNotice;
  readonly #restarts = soundRestarts();
  readonly #sound: ServedSound;
  #served: Served | null = null;
  #openedMonoMs = 0;
  #notBeforeMonoMs = 0;
  #isClosed = false;

  constructor(options: PooledStreamOptions, events: PooledStreamEvents) {
    const { servers, organization } = options;
    this.#options = options;
    this.#events = events;
    this.#sound = {
      organization,
      onFrame: (frame) => this.#frame(frame),
      onEnded: (reason) => this.#ended(reason),
      urgency: () => events.urgency(),
    };
    this.#notice = new WaitingNotice(servers.clock, (isWaiting) => events.onWaiting(isWaiting));
    servers.enter();
  }

  /**
   * Where to write the next `count` samples per channel, of which the first is at `ms`. null: no server has room now, and
   * they are lost.
   */
  next(count: number, ms: number): EncodedStream | null {
    if (this.#isClosed) return null;
    this.#served ??= this.#open();
    if (this.#served === null) {
      this.#notice.waits();
      return null;
    }
    this.#served.times.put(count, ms);
    return this.#served.stream;
  }

  /** Idempotent; resolves when everything is released. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#notice.close();
    this.#served?.stream.close();
    await this.#options.servers.leave(this.#sound);
  }

  #open(): Served | null {
    const { servers, format, log } = this.#options;
    if (servers.clock.monoMs() < this.#notBeforeMonoMs) return null;
    const stream = servers.open(format, this.#sound);
    if (stream === null) return null;
    this.#openedMonoMs = servers.clock.monoMs();
    this.#notice.served();
    log.debug({ codec: format.codec }, 'audio goes to the sound server');
    return { stream, times: new SampleTimes(format.sampleRateHz), frames: 0 };
  }

  #frame(frame: Uint8Array): void {
    const served = this.#served;
    if (served === null || this.#isClosed) return;
    const { frameSamples, paddingSamples } = FRAMES[this.#options.format.codec];
    const outputSec = (served.frames * frameSamples - paddingSamples) / AUDIO_SAMPLE_RATE_HZ;
    served.frames++;
    const ms = served.times.msAt(outputSec);
    if (ms !== null) this.#events.onFrame(ms, frame);
  }

  #ended(reason: 'failed' | 'idle' | 'server'): void {
    this.#served = null;
    const { servers } = this.#options;
    if (reason !== 'server') servers.forget(this.#sound);
    if (reason === 'idle') return;
    this.#notice.waits();
    if (reason !== 'failed') return;
    const nowMonoMs = servers.clock.monoMs();
    this.#notBeforeMonoMs = nowMonoMs + this.#restarts.failed(nowMonoMs - this.#openedMonoMs);
  }
}
