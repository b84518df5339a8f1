/**
 * Hikvision: lists by ISAPI (`/ISAPI/ContentMgmt/search`), plays `/Streaming/tracks/<channel>01` with `starttime` and `endtime`. What
 * recorders do: times end in Z and are local time on most firmware and UTC on some (qb60/hikvision-downloader); few play more than one
 * recording and answer 453 to DESCRIBE (mpromonet/webrtc-streamer#174); many do not stop at `endtime` (CamioCam/rtsp#181).
 */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { descendants, parseXml, textOf } from '../onvif/xml-element.ts';
import { RECORDER_ERRORS } from './errors.ts';
import {
  type ArchiveSpan,
  joinedSpans,
  NO_REPLAY_FIELDS,
  type RecorderArchive,
  type ReplayRequest,
} from './recorder-archive.ts';
import type { RecorderHttp } from './recorder-http.ts';
import { atPath, type RecordedChannel } from './recorder-settings.ts';
import { basicTime, isoTime, shownTimeMs, steadyOffsetMs, zoneMs } from './recorder-times.ts';

/** Recorders return at most 40 to 100 entries, whatever is requested. */
const PAGE = 100;
/** A day of files of two minutes. */
const MAX_MATCHES = 1_000;
/** The clock is read again after this time: someone may set it. */
const CLOCK_AGAIN_MS = 60_000;
const HALF_DAY_MS = 14 * 3_600_000;
/** The main stream of a channel. */
const MAIN = '01';

export class HikvisionArchive implements RecorderArchive {
  readonly #channel: RecordedChannel;
  readonly #http: Pick<RecorderHttp, 'call'>;
  readonly #clock: Clock;
  #offset: { readonly ms: number; readonly readMonoMs: number } | null = null;

  constructor(channel: RecordedChannel, http: Pick<RecorderHttp, 'call'>, clock: Clock) {
    this.#channel = channel;
    this.#http = http;
    this.#clock = clock;
  }

  async list(fromMs: number, toMs: number, signal: AbortSignal): Promise<readonly ArchiveSpan[]> {
    const offsetMs = await this.#offsetMs(signal);
    const shown = await this.#search(fromMs + offsetMs, toMs + offsetMs, signal);
    const spans = shown.map((span) => ({ fromMs: span.fromMs - offsetMs, toMs: span.toMs - offsetMs }));
    return joinedSpans(spans, fromMs, toMs);
  }

  async replay(fromMs: number, toMs: number, signal: AbortSignal): Promise<ReplayRequest> {
    const offsetMs = await this.#offsetMs(signal);
    const { rtspUrl } = this.#channel;
    const times = `starttime=${basicTime(fromMs + offsetMs)}&endtime=${basicTime(toMs + offsetMs + 999)}`;
    const url = atPath(rtspUrl, `/Streaming/tracks/${this.#track}?${times}`);
    return { url, fields: NO_REPLAY_FIELDS, offsetMs };
  }

  get #track(): string {
    return `${this.#channel.channel}${MAIN}`;
  }

  /** How far the times in its lists and URLs are ahead of the true time. */
  async #offsetMs(signal: AbortSignal): Promise<number> {
    const known = this.#offset;
    const nowMonoMs = this.#clock.monoMs();
    if (known !== null && nowMonoMs - known.readMonoMs < CLOCK_AGAIN_MS) return known.ms;
    const { text } = await this.#http.call({ method: 'GET', path: '/ISAPI/System/time' }, signal);
    const local = textOf(readXml(text), 'localTime') ?? '';
    const shownMs = shownTimeMs(local);
    if (shownMs === null) throw badResponse('no time');
    const localMs = steadyOffsetMs(shownMs - this.#clock.epochMs());
    const utcMs = localMs - (zoneMs(local) ?? 0);
    const ms = utcMs === localMs ? localMs : await this.#convention(localMs, utcMs, signal);
    this.#offset = { ms, readMonoMs: nowMonoMs };
    return ms;
  }

  /** Local time or UTC: the newest recording ends now. Without one, local time, as on most firmware. */
  async #convention(localMs: number, utcMs: number, signal: AbortSignal): Promise<number> {
    const nowMs = this.#clock.epochMs();
    const around = await this.#search(nowMs - HALF_DAY_MS, nowMs + HALF_DAY_MS, signal);
    const newestMs = Math.max(...around.map(({ toMs }) => toMs));
    if (around.length === 0) return localMs;
    const isUtc = Math.abs(newestMs - nowMs - utcMs) < Math.abs(newestMs - nowMs - localMs);
    return isUtc ? utcMs : localMs;
  }

  async #search(fromMs: number, toMs: number, signal: AbortSignal): Promise<ArchiveSpan[]> {
    const spans: ArchiveSpan[] = [];
    const searchId = randomUUID().toUpperCase();
    for (let position = 0; position < MAX_MATCHES; ) {
      const body = searchDescription({ searchId, track: this.#track, fromMs, toMs, position });
      const { text } = await this.#http.call(
        { method: 'POST', path: '/ISAPI/ContentMgmt/search', body },
        signal,
      );
      const result = readXml(text);
      const matches = descendants(result, 'searchMatchItem');
      for (const match of matches) {
        const from = shownTimeMs(textOf(match, 'startTime') ?? '');
        const to = shownTimeMs(textOf(match, 'endTime') ?? '');
        if (from === null || to === null) throw badResponse('a match without a time');
        if (to > from) spans.push({ fromMs: from, toMs: to });
      }
      position += matches.length;
      if (matches.length === 0 || textOf(result, 'responseStatusStrg') !== 'MORE') return spans;
    }
    throw new GatewayError(RECORDER_ERRORS.RECORDER_LIST_TOO_LONG, { limit: MAX_MATCHES });
  }
}

function searchDescription(search: {
  readonly searchId: string;
  readonly track: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly position: number;
}): string {
  const { searchId, track, fromMs, toMs, position } = search;
  // "Postion" is how ISAPI spells it.
  return (
    '<?xml version="1.0" encoding="UTF-8"?><CMSearchDescription>' +
    `<searchID>${searchId}</searchID><trackIDList><trackID>${track}</trackID></trackIDList>` +
    `<timeSpanList><timeSpan><startTime>${isoTime(fromMs)}</startTime><endTime>${isoTime(toMs)}</endTime></timeSpan></timeSpanList>` +
    `<maxResults>${PAGE}</maxResults><searchResultPostion>${position}</searchResultPostion>` +
    '<metadataList><metadataDescriptor>//recordType.meta.std-cgi.com</metadataDescriptor></metadataList>' +
    '</CMSearchDescription>'
  );
}

/** Fails RECORDER_BAD_RESPONSE. */
function readXml(text: string): ReturnType<typeof parseXml> {
  try {
    return parseXml(text);
  } catch (cause) {
    throw new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason: 'not XML' }, cause);
  }
}

function badResponse(reason: string): GatewayError {
  return new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason });
}
