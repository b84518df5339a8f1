/**
 * Audio that is samples (G.711, G.726, L16, L8) as AAC: decoded here, encoded by a process that many cameras share
 * (sound-servers.ts). Each stream in it has its own encoder; video is not affected by any of it.
 */

import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { PcmDecoder } from '../../codec/pcm/pcm-decoder.ts';
import type { AacTrack } from '../../codec/track.ts';
import type { Log } from '../../core/log.ts';
import { AUDIO_SAMPLE_RATE_HZ } from '../../ffmpeg/command.ts';
import { AAC_FRAME_SAMPLES, type AacStream } from '../../ffmpeg/sound-server.ts';
import { AudioTimes } from '../../rtp/aac/audio-times.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { type PcmFormat, pcmFormatOf } from './pcm-format.ts';
import { soundRestarts } from './restart-pause.ts';
import { SamplePace } from './sample-pace.ts';
import { SampleTimes } from './sample-times.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from './sound-path.ts';
import type { ServedSound, SoundServers } from './sound-servers.ts';
import { WaitingNotice } from './waiting-notice.ts';

/** As in flac-sound.ts: codes of 2, 3, 4, 5, 8, 16 and twice 16 bits all end at such a boundary. */
const SLICE_BYTES = 960;
const MAX_SAMPLES_PER_BYTE = 4;

/** AAC of everything: by the shared servers where samples go in, by a worker of its own for what only C decodes. */
export class PooledSoundPaths implements SoundPaths {
  readonly #servers: SoundServers;
  readonly #worker: SoundPaths;
  readonly #organization: string;
  readonly #log: Log;

  /** `organization` and `log`: of the camera. */
  constructor(servers: SoundServers, worker: SoundPaths, organization: string, log: Log) {
    this.#servers = servers;
    this.#worker = worker;
    this.#organization = organization;
    this.#log = log;
  }

  carries(format: MediaFormat): boolean {
    return this.#worker.carries(format);
  }

  open(format: MediaFormat, events: SoundPathEvents): SoundPath {
    const pcm = pcmFormatOf(format);
    if (pcm === null) return this.#worker.open(format, events);
    return new PooledSound(pcm, this.#servers, events, this.#organization, this.#log);
  }
}

/** A stream of a server, with its times and frame count. */
interface Served {
  readonly stream: AacStream;
  readonly times: SampleTimes;
  frames: number;
}

class PooledSound implements SoundPath {
  readonly track: AacTrack;
  readonly #format: PcmFormat;
  readonly #servers: SoundServers;
  readonly #events: SoundPathEvents;
  readonly #log: Log;
  readonly #decoder: PcmDecoder;
  readonly #samples = new Int16Array(SLICE_BYTES * MAX_SAMPLES_PER_BYTE);
  readonly #pace: SamplePace;
  readonly #notice: WaitingNotice;
  readonly #restarts = soundRestarts();
  readonly #sound: ServedSound;
  readonly #outputTimes: AudioTimes;
  /** That the newest payload came with. */
  #stretch = 0;
  #served: Served | null = null;
  #openedMonoMs = 0;
  #notBeforeMonoMs = 0;
  #isClosed = false;

  constructor(
    format: PcmFormat,
    servers: SoundServers,
    events: SoundPathEvents,
    organization: string,
    log: Log,
  ) {
    const { clock } = servers;
    this.#sound = {
      organization,
      onFrame: (frame) => this.#frame(frame),
      onEnded: (reason) => this.#ended(reason),
      urgency: () => events.urgency?.() ?? 'viewer',
    };
    this.track = aacTrackOf(buildAudioSpecificConfig(AUDIO_SAMPLE_RATE_HZ, format.channelCount))!;
    this.#format = format;
    this.#servers = servers;
    this.#events = events;
    this.#log = log;
    this.#decoder = format.openDecoder();
    this.#pace = new SamplePace(format.sampleRateHz, clock);
    this.#notice = new WaitingNotice(clock, (isWaiting) => events.onWaiting(isWaiting));
    this.#outputTimes = new AudioTimes(AAC_FRAME_SAMPLES, this.track.sampleRateHz);
    servers.enter();
  }

  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch = 0): void {
    this.#stretch = stretch;
    const { channelCount, sampleRateHz } = this.#format;
    const count = Math.floor(this.#decoder.samplesIn(end - start) / channelCount);
    if (this.#isClosed || count === 0 || !this.#pace.take(count)) return;
    this.#served ??= this.#open();
    if (this.#served === null) {
      this.#notice.waits();
      return;
    }
    const { stream, times } = this.#served;
    times.put(count, (clockTicks * 1_000) / sampleRateHz);
    for (let at = start; at < end; at += SLICE_BYTES) {
      const decoded = this.#decoder.decode(chunk, at, Math.min(end, at + SLICE_BYTES), this.#samples);
      stream.write(this.#samples, decoded - (decoded % channelCount));
    }
  }

  gap(): void {
    // The times of the next payload show it.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#notice.close();
    this.#served?.stream.close();
    await this.#servers.leave(this.#sound);
  }

  #open(): Served | null {
    const { clock } = this.#servers;
    if (clock.monoMs() < this.#notBeforeMonoMs) return null;
    const stream = this.#servers.open(this.#format, this.#sound);
    if (stream === null) return null;
    this.#openedMonoMs = clock.monoMs();
    this.#notice.served();
    this.#log.debug({}, 'audio goes to the sound server');
    return { stream, times: new SampleTimes(this.#format.sampleRateHz), frames: 0 };
  }

  #frame(frame: Uint8Array): void {
    const served = this.#served;
    if (served === null) return;
    // The encoder's priming: the first frame is for what would have been before the first sample.
    const outputSec = ((served.frames - 1) * AAC_FRAME_SAMPLES) / AUDIO_SAMPLE_RATE_HZ;
    served.frames++;
    const ms = served.times.msAt(outputSec);
    if (ms === null) return;
    const stampedTicks = Math.round((ms * AUDIO_SAMPLE_RATE_HZ) / 1_000);
    if (stampedTicks >= 0)
      this.#events.onUnit(
        this.#outputTimes.next(stampedTicks, this.track.samplesPerFrame, this.#stretch),
        frame,
      );
  }

  #ended(reason: 'failed' | 'idle' | 'server'): void {
    this.#served = null;
    if (reason !== 'server') this.#servers.forget(this.#sound);
    if (reason === 'idle') return;
    this.#notice.waits();
    if (reason !== 'failed') return;
    const nowMonoMs = this.#servers.clock.monoMs();
    this.#notBeforeMonoMs = nowMonoMs + this.#restarts.failed(nowMonoMs - this.#openedMonoMs);
  }
}
