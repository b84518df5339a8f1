/**
 * Joins the worker's two files into the tracks and access units of one source: announces both tracks together, strips
 * parameter sets, and keeps timestamps in order. Encoded audio has a track of our choice, announced before any data.
 * Copied audio declares its own: video is held briefly until that is known, and starts without it if none arrives,
 * because a microphone that is off must not delay the video.
 */

import { H264SampleReader } from '../../codec/h264/sample-reader.ts';
import type { AacTrack, AccessUnit, H264Track, Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import type { FragmentSink } from '../../isobmff/fragment-reader.ts';
import type { SourceEvents } from '../../stream/source/source-events.ts';
import { TrackPace } from './track-pace.ts';

/** Longest wait for the audio track, counted from the video track. */
export const AUDIO_WAIT_MS = 2_000;
/** Limit on access units held meanwhile; beyond it the wait is over. */
const MAX_HELD_UNITS = 256;

const VIDEO_INDEX = 0;
const AUDIO_INDEX = 1;

/** `waiting` holds copies: data from a pipe is borrowed. */
type AssemblyState =
  | { readonly name: 'empty' }
  | { readonly name: 'waiting'; readonly held: AccessUnit[]; readonly timer: TimerHandle }
  | { readonly name: 'announced'; readonly hasAudio: boolean }
  | { readonly name: 'closed' };

export class TrackAssembly {
  /** Reads standard output. */
  readonly videoSink: FragmentSink;
  /** Reads the audio pipe. */
  readonly audioSink: FragmentSink;
  readonly #events: Omit<SourceEvents, 'onEnded'>;
  readonly #clock: Clock;
  readonly #wantsAudio: boolean;
  readonly #expectedAudio: AacTrack | null;
  #state: AssemblyState = { name: 'empty' };
  #lastUnitMonoMs: number;
  #video: H264SampleReader | null = null;
  #audio: AacTrack | null = null;
  readonly #lastDtsTicks = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  readonly #paces = [new TrackPace(), new TrackPace()];
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };

  /** `expectedAudio`: what the worker's audio will be; null if only its own file says. */
  constructor(
    events: Omit<SourceEvents, 'onEnded'>,
    clock: Clock,
    wantsAudio: boolean,
    expectedAudio: AacTrack | null = null,
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#lastUnitMonoMs = clock.monoMs();
    this.#wantsAudio = wantsAudio;
    this.#expectedAudio = expectedAudio;
    this.#audio = expectedAudio;
    this.videoSink = {
      onTracks: (tracks) => this.#videoTracks(tracks),
      onSample: (_index, dts, pts, _isKey, data) => this.#videoSample(dts, pts, data),
    };
    this.audioSink = {
      onTracks: (tracks) => this.#audioTracks(tracks),
      onSample: (_index, dts, pts, _isKey, data) => this.#sample(AUDIO_INDEX, dts, pts, true, data),
    };
  }

  /** When the newest access unit arrived; before the first one, when this object was created. */
  get lastUnitMonoMs(): number {
    return this.#lastUnitMonoMs;
  }

  /** Stops all callbacks. */
  close(): void {
    if (this.#state.name === 'waiting') this.#state.timer.cancel();
    this.#state = { name: 'closed' };
  }

  /** Fails with FFMPEG_NO_VIDEO if the file holds no H.264. */
  #videoTracks(tracks: readonly Track[]): void {
    const track = tracks.find((candidate): candidate is H264Track => candidate.codec === 'h264');
    if (track === undefined) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_NO_VIDEO);
    this.#video = new H264SampleReader(track);
    if (!this.#wantsAudio || this.#audio !== null) this.#announce();
    else {
      const timer = this.#clock.after(AUDIO_WAIT_MS, () => this.#announce());
      this.#state = { name: 'waiting', held: [], timer };
    }
  }

  /**
   * Fails with FFMPEG_BAD_OUTPUT if the file holds no AAC: Opus, for example, can be copied into it, but does not play
   * everywhere.
   */
  #audioTracks(tracks: readonly Track[]): void {
    const track = tracks.find((candidate): candidate is AacTrack => candidate.codec === 'aac');
    if (track === undefined) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_OUTPUT);
    if (this.#expectedAudio !== null) {
      const { sampleRateHz, channelCount } = this.#expectedAudio;
      const isAsExpected = track.sampleRateHz === sampleRateHz && track.channelCount === channelCount;
      if (!isAsExpected) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_BAD_OUTPUT);
      return;
    }
    this.#audio = track;
    if (this.#state.name === 'waiting') this.#announce();
  }

  /** Ends the wait, if any. */
  #announce(): void {
    const before = this.#state;
    if (before.name === 'closed' || this.#video === null) return;
    if (before.name === 'waiting') before.timer.cancel();
    const hasAudio = before.name === 'announced' ? before.hasAudio : this.#audio !== null;
    this.#state = { name: 'announced', hasAudio };
    this.#events.onTracks(hasAudio ? [this.#video.track, this.#audio!] : [this.#video.track]);
    if (before.name === 'waiting') for (const unit of before.held) this.#deliver(unit);
  }

  /** The held frames need the earlier parameter sets, and are some frames old: they are dropped. */
  #announceChange(): void {
    if (this.#state.name === 'waiting' && this.#state.held.length > 0) {
      this.#events.onDropped(this.#state.held.length, FFMPEG_ERRORS.FFMPEG_BAD_OUTPUT.code);
      this.#state.held.length = 0;
    }
    this.#announce();
  }

  #videoSample(dtsTicks: number, ptsTicks: number, sample: Uint8Array): void {
    const video = this.#video;
    if (video === null) return;
    const outcome = video.read(sample);
    if (outcome === 'damaged') {
      this.#events.onDropped(1, FFMPEG_ERRORS.FFMPEG_BAD_OUTPUT.code);
      return;
    }
    if (outcome === 'changed') this.#announceChange();
    this.#sample(VIDEO_INDEX, dtsTicks, ptsTicks, video.isKey, video.data);
  }

  /** Once per frame of every worker's camera. Fails with FFMPEG_CLOCK_LOST. */
  #sample(trackIndex: number, dtsTicks: number, ptsTicks: number, isKey: boolean, data: Uint8Array): void {
    if (this.#state.name === 'closed') return;
    const arrivalMonoMs = this.#clock.monoMs();
    const track = trackIndex === VIDEO_INDEX ? this.#video?.track : this.#audio;
    const timeMs = (dtsTicks * 1_000) / (track?.timescaleHz ?? 1);
    if (!this.#paces[trackIndex]!.keepsTime(timeMs, arrivalMonoMs)) {
      throw new GatewayError(FFMPEG_ERRORS.FFMPEG_CLOCK_LOST, { track: track?.kind });
    }
    if (dtsTicks <= this.#lastDtsTicks[trackIndex]!) {
      this.#events.onDropped(1, FFMPEG_ERRORS.FFMPEG_BAD_TIMESTAMP.code);
      return;
    }
    this.#lastDtsTicks[trackIndex] = dtsTicks;
    const unit = this.#unit;
    unit.trackIndex = trackIndex;
    unit.dtsTicks = dtsTicks;
    unit.ptsTicks = Math.max(dtsTicks, ptsTicks);
    unit.isKey = isKey;
    unit.data = data;
    unit.arrivalMonoMs = arrivalMonoMs;
    if (this.#state.name === 'announced') this.#deliver(unit);
    else if (this.#state.name === 'waiting') this.#hold(this.#state.held, unit);
  }

  #hold(held: AccessUnit[], unit: AccessUnit): void {
    held.push({ ...unit, data: new Uint8Array(unit.data) });
    if (held.length >= MAX_HELD_UNITS) this.#announce();
  }

  /** Audio that arrives after the wait is not part of this instance. */
  #deliver(unit: AccessUnit): void {
    if (this.#state.name !== 'announced') return;
    if (unit.trackIndex === AUDIO_INDEX && !this.#state.hasAudio) return;
    this.#lastUnitMonoMs = unit.arrivalMonoMs;
    this.#events.onAccessUnit(unit);
  }
}
