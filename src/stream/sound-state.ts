/** Whether viewers hear a camera, and if not, why. Shown to people who wonder why there is no audio. */

import type { Track } from '../codec/track.ts';
import type { SoundOffer } from './source/source-events.ts';

/**
 * `unknown`: the camera is not open, or has not been open long enough to tell. `none`: it has no audio. `live`: viewers
 * hear it. `silent`: announced, but nothing arrives. `waiting`: it arrives, and waits for an ffmpeg worker.
 * `unsupported`: its encoding is not supported.
 */
export type SoundStateName = 'unknown' | 'none' | 'live' | 'silent' | 'waiting' | 'unsupported';

export interface SoundState {
  readonly state: SoundStateName;
  /** The unsupported encoding, as the camera names it; otherwise null. */
  readonly encoding: string | null;
  /** It is open and sends no video. */
  readonly isAlone: boolean;
}

/** Audio that has not arrived for this long is silent; a worker's start takes less. */
const SILENT_AFTER_MS = 3_000;
const UNKNOWN: SoundState = Object.freeze({ state: 'unknown', encoding: null, isAlone: false });

export class SoundMonitor {
  readonly #onChange: (state: SoundState) => void;
  #state: SoundState = UNKNOWN;
  #offer: SoundOffer | null = null;
  #soundIndex = -1;
  #isAlone = false;
  /** Time of the last audio, or of the first access unit without any. */
  #lastSoundMonoMs = Number.NaN;

  /** `onChange`: called once per change. */
  constructor(onChange: (state: SoundState) => void) {
    this.#onChange = onChange;
  }

  get state(): SoundState {
    return this.#state;
  }

  /** Another instance, or none: nothing is known about it. */
  reset(): void {
    this.#offer = null;
    this.#soundIndex = -1;
    this.#isAlone = false;
    this.#lastSoundMonoMs = Number.NaN;
    this.#set('unknown');
  }

  tracks(tracks: readonly Track[]): void {
    this.#soundIndex = tracks.findIndex((track) => track.kind === 'audio');
    this.#isAlone = !tracks.some((track) => track.kind === 'video');
    if (this.#soundIndex >= 0) return;
    if (this.#offer?.kind === 'unsupported') this.#set('unsupported', this.#offer.encoding);
    else this.#set('none');
  }

  offer(offer: SoundOffer): void {
    this.#offer = offer;
    if (offer.kind === 'waiting') this.#set('waiting');
    else if (offer.kind === 'announced' && this.#state.state === 'waiting') this.#set('silent');
    else if (offer.kind === 'unsupported') this.#set('unsupported', offer.encoding);
    else if (offer.kind === 'none') this.#set('none');
  }

  /** Hot: once per access unit. */
  unit(trackIndex: number, arrivalMonoMs: number): void {
    if (this.#soundIndex < 0) return;
    if (trackIndex === this.#soundIndex) {
      this.#lastSoundMonoMs = arrivalMonoMs;
      if (this.#state.state !== 'live') this.#set('live');
    } else if (Number.isNaN(this.#lastSoundMonoMs)) this.#lastSoundMonoMs = arrivalMonoMs;
    else if (arrivalMonoMs - this.#lastSoundMonoMs >= SILENT_AFTER_MS) this.#missed();
  }

  #missed(): void {
    if (this.#offer?.kind !== 'waiting') this.#set('silent');
  }

  #set(state: SoundStateName, encoding: string | null = null): void {
    const isAlone = this.#isAlone;
    const before = this.#state;
    if (before.state === state && before.encoding === encoding && before.isAlone === isAlone) return;
    this.#state = { state, encoding, isAlone };
    this.#onChange(this.#state);
  }
}

const SOUND_MESSAGES: Readonly<Record<SoundStateName, string | null>> = {
  unknown: null,
  none: null,
  live: 'camera audio live',
  silent: 'camera audio silent',
  waiting: 'camera audio waiting for a worker',
  unsupported: 'camera audio unsupported',
};

/** null: nothing to report. */
export function soundMessage(state: SoundStateName): string | null {
  return SOUND_MESSAGES[state];
}
