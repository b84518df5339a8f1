/**
 * Audio that is samples (G.711, G.726, L16, L8) as AAC: decoded here, encoded by a process that many cameras share
 * (sound-servers.ts). Each stream in it has its own encoder; video is not affected by any of it.
 */

import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { PcmDecoder } from '../../codec/pcm/pcm-decoder.ts';
import type { AacTrack } from '../../codec/track.ts';
import type { Log } from '../../core/log.ts';
import { AUDIO_SAMPLE_RATE_HZ } from '../../ffmpeg/command.ts';
import { AAC_FRAME_SAMPLES } from '../../ffmpeg/sound-server.ts';
import { AudioTimes } from '../../rtp/aac/audio-times.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import { type PcmFormat, pcmFormatOf } from './pcm-format.ts';
import { PooledStream } from './pooled-stream.ts';
import { SamplePace } from './sample-pace.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from './sound-path.ts';
import type { SoundServers } from './sound-servers.ts';

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

class PooledSound implements SoundPath {
  readonly track: AacTrack;
  readonly #format: PcmFormat;
  readonly #events: SoundPathEvents;
  readonly #decoder: PcmDecoder;
  readonly #samples = new Int16Array(SLICE_BYTES * MAX_SAMPLES_PER_BYTE);
  readonly #pace: SamplePace;
  readonly #stream: PooledStream;
  readonly #outputTimes: AudioTimes;
  /** That the newest payload came with. */
  #stretch = 0;

  constructor(
    format: PcmFormat,
    servers: SoundServers,
    events: SoundPathEvents,
    organization: string,
    log: Log,
  ) {
    const { sampleRateHz, channelCount } = format;
    this.track = aacTrackOf(buildAudioSpecificConfig(AUDIO_SAMPLE_RATE_HZ, channelCount))!;
    this.#format = format;
    this.#events = events;
    this.#decoder = format.openDecoder();
    this.#pace = new SamplePace(sampleRateHz, servers.clock);
    this.#outputTimes = new AudioTimes(AAC_FRAME_SAMPLES, this.track.sampleRateHz);
    this.#stream = new PooledStream(
      { format: { codec: 'aac', sampleRateHz, channelCount }, servers, organization, log },
      {
        onFrame: (ms, frame) => this.#frame(ms, frame),
        onWaiting: (isWaiting) => events.onWaiting(isWaiting),
        urgency: () => events.urgency?.() ?? 'viewer',
      },
    );
  }

  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch = 0): void {
    this.#stretch = stretch;
    const { channelCount, sampleRateHz } = this.#format;
    const count = Math.floor(this.#decoder.samplesIn(end - start) / channelCount);
    if (count === 0 || !this.#pace.take(count)) return;
    const stream = this.#stream.next(count, (clockTicks * 1_000) / sampleRateHz);
    if (stream === null) return;
    for (let at = start; at < end; at += SLICE_BYTES) {
      const decoded = this.#decoder.decode(chunk, at, Math.min(end, at + SLICE_BYTES), this.#samples);
      stream.write(this.#samples, decoded - (decoded % channelCount));
    }
  }

  gap(): void {
    // The times of the next payload show it.
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #frame(ms: number, frame: Uint8Array): void {
    const stampedTicks = Math.round((ms * AUDIO_SAMPLE_RATE_HZ) / 1_000);
    if (stampedTicks >= 0)
      this.#events.onUnit(
        this.#outputTimes.next(stampedTicks, this.track.samplesPerFrame, this.#stretch),
        frame,
      );
  }
}
