/**
 * The cameras that this node talks to for their own sake, such as to subscribe to their events. Nodes may disagree for a moment:
 * a node stops immediately, and begins when the camera has been its own for two looks.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';

/** The time in which nodes of a cluster learn of each other. */
export const LOOK_MS = 1_000;

export interface PlacedCamerasOptions {
  readonly cameras: () => Iterable<Ruuid>;
  readonly isPlacedHere: (cameraUuid: Ruuid) => boolean;
  readonly clock: Clock;
  readonly onChange: (cameraUuids: readonly Ruuid[], isHere: boolean) => void;
}

export class PlacedCameras {
  readonly #options: PlacedCamerasOptions;
  #placed: ReadonlySet<Ruuid> = new Set();
  /** At the last look. */
  #wanted: ReadonlySet<Ruuid> = new Set();
  #timer: TimerHandle;

  constructor(options: PlacedCamerasOptions) {
    this.#options = options;
    this.#timer = this.#arm();
  }

  all(): Ruuid[] {
    return [...this.#placed];
  }

  close(): void {
    this.#timer.cancel();
  }

  #arm(): TimerHandle {
    return this.#options.clock.after(LOOK_MS, () => {
      this.#timer = this.#arm();
      this.#look();
    });
  }

  #look(): void {
    const { cameras, isPlacedHere, onChange } = this.#options;
    const wanted = new Set([...cameras()].filter(isPlacedHere));
    const ended = [...this.#placed].filter((cameraUuid) => !wanted.has(cameraUuid));
    const begun = [...wanted].filter(
      (cameraUuid) => this.#wanted.has(cameraUuid) && !this.#placed.has(cameraUuid),
    );
    this.#wanted = wanted;
    if (ended.length + begun.length === 0) return;
    this.#placed = new Set([...this.#placed].filter((cameraUuid) => wanted.has(cameraUuid)).concat(begun));
    if (ended.length > 0) onChange(ended, false);
    if (begun.length > 0) onChange(begun, true);
  }
}
