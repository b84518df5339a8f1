/** A share with the other facts that decide about it: its schedule, and the time zone of its camera. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Schedule, Share } from '../store/entities.ts';
import { type ScheduleState, scheduleStateAt } from './schedule-state.ts';

/** A share in its current state; a change makes a new object. */
export class ShareView {
  /** What viewers see. With masks, its camera is the masked one (docs/design/privacy.md). */
  readonly share: Share;
  /** The share as it is stored. */
  readonly stored: Share;
  /** The shared wall that it belongs to; null: none. */
  readonly wallShareUuid: Ruuid | null;
  /** null: the share has none, or it is missing. */
  readonly schedule: Schedule | null;
  readonly timeZone: string;
  #state: ScheduleState | null = null;
  #stateFromEpochMs = Number.POSITIVE_INFINITY;
  #stateUntilEpochMs = Number.NEGATIVE_INFINITY;

  constructor(
    share: Share,
    schedule: Schedule | null,
    timeZone: string,
    {
      wallShareUuid = null,
      shownCameraUuid = share.cameraUuid,
    }: { readonly wallShareUuid?: Ruuid | null; readonly shownCameraUuid?: Ruuid } = {},
  ) {
    this.stored = share;
    const isMasked = shownCameraUuid !== share.cameraUuid;
    this.share = isMasked ? { ...share, cameraUuid: shownCameraUuid } : share;
    this.wallShareUuid = wallShareUuid;
    this.schedule = schedule;
    this.timeZone = timeZone;
  }

  /** Viewers see its camera with masks. */
  get isMasked(): boolean {
    return this.share !== this.stored;
  }

  /** The shared thing: the share itself, or the wall that it belongs to. */
  get linkUuid(): Ruuid {
    return this.wallShareUuid ?? this.share.uuid;
  }

  /** The schedule's current state. Computed again only when its next change is due, or the wall clock went back. */
  scheduleStateAt(nowEpochMs: number): ScheduleState | null {
    if (this.schedule === null) return null;
    if (nowEpochMs < this.#stateFromEpochMs || nowEpochMs >= this.#stateUntilEpochMs) {
      this.#state = scheduleStateAt(this.schedule, this.timeZone, nowEpochMs);
      this.#stateFromEpochMs = nowEpochMs;
      this.#stateUntilEpochMs = this.#state?.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
    }
    return this.#state;
  }
}
