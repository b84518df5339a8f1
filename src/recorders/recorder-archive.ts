/** What a video recorder has of one camera, whatever its protocol. Times are true: the recorder's clock is corrected. */

import type { CredentialUrl } from '../core/secret.ts';
import type { ReplayFields } from '../rtsp/client-session.ts';

/** Half-open, epoch milliseconds. */
export interface ArchiveSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How a time is requested from the recorder's RTSP server. */
export interface ReplayRequest {
  readonly url: CredentialUrl;
  readonly fields: ReplayFields;
  /** How far the times in the recorder's media are ahead of the true time. */
  readonly offsetMs: number;
}

export interface RecorderArchive {
  /** In order, without overlaps. Times around the range may be there too. Fails RECORDER_…, ONVIF_…, RTSP_…, DIRECT_…. */
  list(fromMs: number, toMs: number, signal: AbortSignal): Promise<readonly ArchiveSpan[]>;
  /** Fails like `list`. */
  replay(fromMs: number, toMs: number, signal: AbortSignal): Promise<ReplayRequest>;
}

/** Spans that meet, or lie this close together, are one: recorders cut files without a gap, and round to seconds. */
const JOIN_MS = 2_000;

/** In order, without overlaps and without what lies outside of the range. */
export function joinedSpans(spans: readonly ArchiveSpan[], fromMs: number, toMs: number): ArchiveSpan[] {
  const joined: { fromMs: number; toMs: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (span.toMs <= Math.max(fromMs, span.fromMs) || span.fromMs >= toMs) continue;
    const last = joined.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs + JOIN_MS) last.toMs = Math.max(last.toMs, span.toMs);
    else joined.push({ ...span });
  }
  return joined;
}

/** Neither field: vendors put the time into the URL, and some ignore it next to a range. */
export const NO_REPLAY_FIELDS: ReplayFields = { setup: [], play: [['Range', 'npt=0.000-']] };
