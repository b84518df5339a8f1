/**
 * The viewers of each share through this process, by the time they were last seen. Each share's viewers are kept in that order,
 * so the quiet ones are found at the front without looking at the others.
 */

import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';

/** There are no more sessions, of shares and of groups together: their pools share them out. */
export const MAX_REGISTERED_VIEWERS = LIMITS.viewerSessions.total * 2;

/** One viewer of one share. Mutable: the register changes the first two fields, the publisher the others. */
export interface RegisteredViewer {
  readonly shareUuid: Ruuid;
  readonly viewerId: string;
  seenMonoMs: number;
  /** No longer in the register: left, or quiet for too long. */
  isGone: boolean;
  /** Time of the last published sighting; -Infinity before the first. */
  publishedMonoMs: number;
  /** Waiting to be published. */
  isQueued: boolean;
}

export class ViewerRegister {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #viewersOfShare = new Map<Ruuid, Map<string, RegisteredViewer>>();
  #size = 0;
  #sweepPending = false;
  #closed = false;

  constructor(clock: Clock, viewerTimeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = viewerTimeoutMs;
  }

  /** The viewer's entry, or null when the register is full. Called on every media request. */
  seen(shareUuid: Ruuid, viewerId: string): RegisteredViewer | null {
    let viewers = this.#viewersOfShare.get(shareUuid);
    let viewer = viewers?.get(viewerId);
    const nowMonoMs = this.#clock.monoMs();
    if (viewers !== undefined && viewer !== undefined) {
      viewer.seenMonoMs = nowMonoMs;
      // A Map iterates in insertion order: the newest sighting belongs at its end.
      viewers.delete(viewerId);
      viewers.set(viewerId, viewer);
      return viewer;
    }
    if (this.#size >= MAX_REGISTERED_VIEWERS || this.#closed) return null;
    viewer = {
      shareUuid,
      viewerId,
      seenMonoMs: nowMonoMs,
      isGone: false,
      publishedMonoMs: Number.NEGATIVE_INFINITY,
      isQueued: false,
    };
    if (viewers === undefined) {
      viewers = new Map();
      this.#viewersOfShare.set(shareUuid, viewers);
    }
    viewers.set(viewerId, viewer);
    this.#size++;
    this.#armSweep();
    return viewer;
  }

  /** The entry of the viewer who left, null if there was none. */
  left(shareUuid: Ruuid, viewerId: string): RegisteredViewer | null {
    const viewers = this.#viewersOfShare.get(shareUuid);
    const viewer = viewers?.get(viewerId);
    if (viewers === undefined || viewer === undefined) return null;
    this.#forget(viewers, viewer);
    return viewer;
  }

  /** Viewers of the share seen within the timeout. */
  count(shareUuid: Ruuid): number {
    const viewers = this.#viewersOfShare.get(shareUuid);
    if (viewers === undefined) return 0;
    this.#dropQuiet(viewers, this.#clock.monoMs() - this.#timeoutMs);
    return viewers.size;
  }

  /** Everyone who is registered. */
  *all(): IterableIterator<RegisteredViewer> {
    for (const viewers of this.#viewersOfShare.values()) yield* viewers.values();
  }

  close(): void {
    this.#closed = true;
    this.#viewersOfShare.clear();
    this.#size = 0;
  }

  /** Forgets the quiet viewers of shares whose count is not requested. Runs while any viewer is registered. */
  #armSweep(): void {
    if (this.#sweepPending) return;
    this.#sweepPending = true;
    this.#clock.after(this.#timeoutMs, () => {
      this.#sweepPending = false;
      const deadlineMonoMs = this.#clock.monoMs() - this.#timeoutMs;
      for (const viewers of this.#viewersOfShare.values()) this.#dropQuiet(viewers, deadlineMonoMs);
      if (this.#size > 0) this.#armSweep();
    });
  }

  #dropQuiet(viewers: Map<string, RegisteredViewer>, deadlineMonoMs: number): void {
    for (const viewer of viewers.values()) {
      if (viewer.seenMonoMs > deadlineMonoMs) return;
      this.#forget(viewers, viewer);
    }
  }

  #forget(viewers: Map<string, RegisteredViewer>, viewer: RegisteredViewer): void {
    viewers.delete(viewer.viewerId);
    viewer.isGone = true;
    this.#size--;
    if (viewers.size === 0) this.#viewersOfShare.delete(viewer.shareUuid);
  }
}
