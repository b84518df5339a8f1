/**
 * The part of the past that a viewer may see. A share shows its past only if its owner allowed that (`vodEnabled`), and only the times at
 * which it was shown: nothing from before it existed unless it says how far back they see, nothing that its schedule hid. A device grant shows all of its device's past. Cheap:
 * called for every request, and again before each piece of a long download. The decision of the viewer session (viewer-sessions.ts) about
 * watching at all comes first.
 */

import type { Clock } from '../core/clock.ts';
import type { Share } from '../store/entities.ts';
import { type ShownSpan, scheduleSpans } from './schedule-spans.ts';
import { scheduleStateAt } from './schedule-state.ts';
import type { ShareDirectory } from './share-directory.ts';
import type { ShareView } from './share-view.ts';
import type { ViewerSession } from './viewer-session.ts';

/** A camera that streams when a share is created has a newest key frame of at most this age. */
export const LIVE_MOMENTS_MS = 25_000;

/** The edge of a limited past moves in such steps, so that a download that begins there is not cut off each moment. */
export const PAST_STEP_MS = 300_000;

/** Finding the spans of a longer time takes up to 50 ms; players request at most a day. */
const LONG_MS = 2 * 86_400_000;

interface LongSpans {
  readonly fromMs: number;
  readonly toMs: number;
  readonly spans: readonly ShownSpan[];
}

export class PastAccess {
  readonly #directory: Pick<ShareDirectory, 'find'>;
  readonly #clock: Pick<Clock, 'epochMs'>;
  /** The last long time that was requested. A change of the share or its schedule makes a new view. */
  readonly #long = new WeakMap<ShareView, LongSpans>();

  constructor(directory: Pick<ShareDirectory, 'find'>, clock: Pick<Clock, 'epochMs'>) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /**
   * The parts of [fromMs, toMs) of the session's camera that its viewer may see, in order; null: none of its past at
   * any time.
   */
  spans(
    session: Pick<ViewerSession, 'shareUuid'>,
    fromMs: number,
    toMs: number,
  ): readonly ShownSpan[] | null {
    const { shareUuid } = session;
    if (shareUuid === null) return [{ fromMs, toMs }];
    const view = this.#directory.find(shareUuid);
    const nowMs = this.#clock.epochMs();
    if (view === undefined || !showsPast(view.share, nowMs)) return null;
    const startMs = Math.max(fromMs, earliestMs(view.share, nowMs));
    if (toMs - startMs <= LONG_MS) return spansFrom(view, startMs, toMs);
    const known = this.#long.get(view);
    if (known?.fromMs === startMs && known.toMs === toMs) return known.spans;
    const spans = spansFrom(view, startMs, toMs);
    this.#long.set(view, { fromMs: startMs, toMs, spans });
    return spans;
  }
}

/** When the share showed its camera, whether or not it shows its past. */
export function shownSpans(view: ShareView, fromMs: number, toMs: number): ShownSpan[] {
  return spansFrom(view, Math.max(fromMs, view.share.createdAtMs - LIVE_MOMENTS_MS), toMs);
}

/** Whether viewers see any of its past at this time. */
export function showsPast(
  { vodEnabled, vodExpiresAtSec }: Pick<Share, 'vodEnabled' | 'vodExpiresAtSec'>,
  nowMs: number,
): boolean {
  return vodEnabled && (vodExpiresAtSec === null || nowMs < vodExpiresAtSec * 1_000);
}

/** The first moment that viewers see. */
function earliestMs({ vodPastSec, createdAtMs }: Share, nowMs: number): number {
  if (vodPastSec === null) return createdAtMs - LIVE_MOMENTS_MS;
  return Math.ceil((nowMs - vodPastSec * 1_000) / PAST_STEP_MS) * PAST_STEP_MS;
}

function spansFrom({ share, schedule, timeZone }: ShareView, startMs: number, toMs: number): ShownSpan[] {
  if (share.scheduleUuid === null) return startMs < toMs ? [{ fromMs: startMs, toMs }] : [];
  if (schedule === null) return [];
  const stateAt = (atMs: number) => scheduleStateAt(schedule, timeZone, atMs);
  return scheduleSpans(stateAt, share.invertSchedule, startMs, toMs);
}
