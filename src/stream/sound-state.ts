/** Whether viewers hear a camera, and if not, why: for people who ask where the sound is. */

import type { Track } from '../codec/track.ts';
import type { SoundOffer } from './source-events.ts';

/**
 * `unknown`: the camera is not open, or has not been for long enough to tell. `none`: it has no sound. `live`: it is
 * heard. `silent`: announced, but nothing comes. `waiting`: it comes, and waits for an ffmpeg worker. `unsupported`:
 * it is of an encoding that is not carried.
 */
export type SoundStateName = 'unknown' | 'none' | 'live' | 'silent' | 'waiting' | 'unsupported';

export interface SoundState {
  readonly state: SoundStateName;
  /** Of unsupported sound, as the camera names it; else null. */
  readonly encoding: string | null;
}

/** Sound that has not come for that long is silent; a worker's start takes less. */
const SILENT_AFTER_MS = 3_000;
const UNKNOWN: SoundState = Object.freeze({ state: 'unknown', encoding: null });

export class SoundMonitor {
  readonly #onChange: (state: SoundState) => void;
  #state: SoundState = UNKNOWN;
  #offer: SoundOffer | null = null;
  #soundIndex = -1;
  /** Of the last sound, or of the first access unit without any. */
  #lastSoundMonoMs = Number.NaN;

  /** `onChange`: once per change. */
  constructor(onChange: (state: SoundState) => void) {
    this.#onChange = onChange;
  }

  get state(): SoundState {
    return this.#state;
  }

  /** Another instance, or none: nothing is known of it. */
  reset(): void {
    this.#offer = null;
    this.#soundIndex = -1;
    this.#lastSoundMonoMs = Number.NaN;
    this.#set('unknown');
  }

  tracks(tracks: readonly Track[]): void {
    this.#soundIndex = tracks.findIndex((track) => track.kind === 'audio');
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
    if (this.#state.state === state && this.#state.encoding === encoding) return;
    this.#state = { state, encoding };
    this.#onChange(this.#state);
  }
}
