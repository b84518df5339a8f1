/**
 * Dahua: lists by `mediaFileFind.cgi`, plays `/cam/playback` with `starttime` and `endtime`. All times are the recorder's local time
 * and name no zone.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
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
import { shownTimeMs, spacedTime, steadyOffsetMs, underscoreTime } from './recorder-times.ts';

const PAGE = 100;
const MAX_FILES = 1_000;
const CLOCK_AGAIN_MS = 60_000;
const FIND = '/cgi-bin/mediaFileFind.cgi';

export class DahuaArchive implements RecorderArchive {
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
    const created = fieldsOf(await this.#get(`${FIND}?action=factory.create`, signal));
    const object = created.get('result') ?? '';
    if (!/^\d{1,20}$/.test(object)) throw badResponse('no finder');
    try {
      const spans = await this.#find(object, fromMs + offsetMs, toMs + offsetMs, signal);
      const corrected = spans.map((span) => ({ fromMs: span.fromMs - offsetMs, toMs: span.toMs - offsetMs }));
      return joinedSpans(corrected, fromMs, toMs);
    } finally {
      // Recorders have few finders. One that is not closed ends on its own after a while.
      await this.#get(`${FIND}?action=close&object=${object}`, signal).catch(() => undefined);
      await this.#get(`${FIND}?action=destroy&object=${object}`, signal).catch(() => undefined);
    }
  }

  async replay(fromMs: number, toMs: number, signal: AbortSignal): Promise<ReplayRequest> {
    const offsetMs = await this.#offsetMs(signal);
    const { rtspUrl, channel } = this.#channel;
    const times = `starttime=${underscoreTime(fromMs + offsetMs)}&endtime=${underscoreTime(toMs + offsetMs + 999)}`;
    const url = atPath(rtspUrl, `/cam/playback?channel=${channel}&${times}`);
    return { url, fields: NO_REPLAY_FIELDS, offsetMs };
  }

  async #find(object: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<ArchiveSpan[]> {
    const times =
      `condition.StartTime=${encodeURIComponent(spacedTime(fromMs))}` +
      `&condition.EndTime=${encodeURIComponent(spacedTime(toMs))}`;
    const condition = `condition.Channel=${this.#channel.channel}&${times}&condition.Types[0]=dav`;
    try {
      await this.#get(`${FIND}?action=findFile&object=${object}&${condition}`, signal);
    } catch (thrown) {
      // This is how recorders say that there are none.
      if (isRefused(thrown)) return [];
      throw thrown;
    }
    const spans: ArchiveSpan[] = [];
    for (let files = 0; files < MAX_FILES; ) {
      const path = `${FIND}?action=findNextFile&object=${object}&count=${PAGE}`;
      const found = fieldsOf(await this.#get(path, signal));
      const count = Number(found.get('found') ?? Number.NaN);
      if (!Number.isInteger(count) || count < 0) throw badResponse('no number of files');
      for (let i = 0; i < count; i++) {
        const from = shownTimeMs(found.get(`items[${i}].StartTime`) ?? '');
        const to = shownTimeMs(found.get(`items[${i}].EndTime`) ?? '');
        if (from === null || to === null) throw badResponse('a file without a time');
        if (to > from) spans.push({ fromMs: from, toMs: to });
      }
      files += count;
      if (count < PAGE) return spans;
    }
    throw new GatewayError(RECORDER_ERRORS.RECORDER_LIST_TOO_LONG, { limit: MAX_FILES });
  }

  async #offsetMs(signal: AbortSignal): Promise<number> {
    const known = this.#offset;
    const nowMonoMs = this.#clock.monoMs();
    if (known !== null && nowMonoMs - known.readMonoMs < CLOCK_AGAIN_MS) return known.ms;
    const shownMs = shownTimeMs(await this.#get('/cgi-bin/global.cgi?action=getCurrentTime', signal));
    if (shownMs === null) throw badResponse('no time');
    const ms = steadyOffsetMs(shownMs - this.#clock.epochMs());
    this.#offset = { ms, readMonoMs: nowMonoMs };
    return ms;
  }

  async #get(path: string, signal: AbortSignal): Promise<string> {
    return (await this.#http.call({ method: 'GET', path }, signal)).text;
  }
}

/** Lines of `name=value`. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf('=');
    if (at > 0) fields.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return fields;
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.code === RECORDER_ERRORS.RECORDER_REFUSED.code;
}

function badResponse(reason: string): GatewayError {
  return new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason });
}
