/**
 * Opus as it is: browsers play it in MP4. A packet is an access unit, whatever number of frames it holds, and says how
 * long it lasts, which may change from one to the next. RFC 7587.
 */

import { OPUS_SAMPLE_RATE_HZ, opusSamples } from '../../codec/opus/opus-packet.ts';
import { opusTrackOf } from '../../codec/opus/opus-track.ts';
import type { OpusTrack } from '../../codec/track.ts';
import { AudioTimes } from '../../rtp/aac/audio-times.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import type { SoundPath, SoundPathEvents } from './sound-path.ts';

/**
 * RTP does not say how many samples the encoder was ahead (6.5 ms as a rule), and viewers never hear the start of a stream
 * that they join in the middle. Nothing is skipped, so a player's clock needs no edit list. RFC 7845 §4.2.
 */
const PRE_SKIP_SAMPLES = 0;

/** One stream of one or two channels; surround sound (`multiopus`) has another name. */
export function isOpus({ encoding, clockRateHz }: MediaFormat): boolean {
  return encoding === 'opus' && clockRateHz === OPUS_SAMPLE_RATE_HZ;
}

export class OpusSound implements SoundPath {
  readonly track: OpusTrack;
  readonly #events: SoundPathEvents;
  readonly #times: AudioTimes;
  #isClosed = false;

  constructor({ fmtp }: MediaFormat, events: SoundPathEvents) {
    // RFC 7587 §7: rtpmap always says two channels. Decoders give mono packets to both, but would mix stereo to one.
    this.track = opusTrackOf(fmtp.get('sprop-stereo') === '0' ? 1 : 2, PRE_SKIP_SAMPLES);
    this.#events = events;
    this.#times = new AudioTimes(this.track.samplesPerFrame, this.track.sampleRateHz);
  }

  /** A payload that no decoder would take is left out: it would end a viewer's playback. */
  push(chunk: Uint8Array, start: number, end: number, clockTicks: number, stretch = 0): void {
    const samples = opusSamples(chunk, start, end);
    if (samples === 0 || this.#isClosed) return;
    const ticks = this.#times.next(clockTicks, samples, stretch);
    if (ticks >= 0) this.#events.onUnit(ticks, chunk.subarray(start, end));
  }

  gap(): void {
    // The next timestamp shows it.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
