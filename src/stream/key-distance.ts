/** The time between the last two key frames of a stream's video. Cheap enough for every frame. */

import type { AccessUnit, Track } from '../codec/track.ts';

const MS_PER_SEC = 1_000;

export class KeyDistance {
  #videoIndex = -1;
  #timescaleHz = 1;
  #lastKeyTicks: number | null = null;
  #distanceTicks: number | null = null;

  /** null before the second key frame of the timeline, and without video. */
  get distanceMs(): number | null {
    return this.#distanceTicks === null
      ? null
      : Math.round((this.#distanceTicks * MS_PER_SEC) / this.#timescaleHz);
  }

  /** It was measured where the frames arrive. */
  note(distanceMs: number | null): void {
    this.#distanceTicks = distanceMs === null ? null : (distanceMs * this.#timescaleHz) / MS_PER_SEC;
  }

  /** Tracks can change within a timeline. */
  tracks(tracks: readonly Track[]): void {
    const index = tracks.findIndex(({ kind }) => kind === 'video');
    const timescaleHz = tracks[index]?.timescaleHz ?? 1;
    if (index !== this.#videoIndex || timescaleHz !== this.#timescaleHz) this.restart();
    this.#videoIndex = index;
    this.#timescaleHz = timescaleHz;
  }

  /** A new timeline follows. */
  restart(): void {
    this.#lastKeyTicks = null;
    this.#distanceTicks = null;
  }

  /** Hot: once per frame. Borrowed. */
  unit(unit: AccessUnit): void {
    if (!unit.isKey || unit.trackIndex !== this.#videoIndex) return;
    if (this.#lastKeyTicks !== null) this.#distanceTicks = unit.dtsTicks - this.#lastKeyTicks;
    this.#lastKeyTicks = unit.dtsTicks;
  }
}
