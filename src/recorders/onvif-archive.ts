/**
 * ONVIF profile G: lists by Recording Search, plays by Replay Control. A recording is a channel; the first one with video is channel 1.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { isPassedOver, type OnvifClient } from '../devices/onvif/onvif-client.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import {
  endSearch,
  type FoundRecording,
  findRecordings,
  findTrackChanges,
  getReplayUri,
  getResults,
  readRecordings,
  readReplayUri,
  readSearchToken,
  readTrackChanges,
  type SearchPage,
  type TrackChange,
} from '../onvif/search-messages.ts';
import type { SoapMessage } from '../onvif/soap.ts';
import type { XmlElement } from '../onvif/xml-element.ts';
import { RECORDER_ERRORS } from './errors.ts';
import {
  type ArchiveSpan,
  joinedSpans,
  type RecorderArchive,
  type ReplayRequest,
} from './recorder-archive.ts';
import { type RecordedChannel, withLogin } from './recorder-settings.ts';
import { clockTime, steadyOffsetMs } from './recorder-times.ts';

type Client = Pick<OnvifClient, 'ask' | 'services' | 'readClock' | 'clockOffsetMs' | 'onSameHost'>;

/** Its services. */
interface Places {
  readonly search: URL;
  readonly replay: URL;
}

const CLOCK_AGAIN_MS = 60_000;
const MAX_PAGES = 50;
const MAX_RESULTS = 5_000;
const REQUIRE = ['Require', 'onvif-replay'] as const;

export class OnvifArchive implements RecorderArchive {
  readonly #channel: RecordedChannel;
  readonly #client: Client;
  readonly #clock: Pick<Clock, 'monoMs'>;
  #clockReadMonoMs = 0;
  #places: Promise<Places> | null = null;

  constructor(channel: RecordedChannel, client: Client, clock: Pick<Clock, 'monoMs'>) {
    this.#channel = channel;
    this.#client = client;
    this.#clock = clock;
  }

  async list(fromMs: number, toMs: number, signal: AbortSignal): Promise<readonly ArchiveSpan[]> {
    const { search } = await this.#services(signal);
    const offsetMs = steadyOffsetMs(this.#client.clockOffsetMs ?? 0);
    const recording = await this.#recording(search, signal);
    const shown = await this.#spans(recording, search, fromMs + offsetMs, toMs + offsetMs, signal);
    const spans = shown.map((span) => ({ fromMs: span.fromMs - offsetMs, toMs: span.toMs - offsetMs }));
    return joinedSpans(spans, fromMs, toMs);
  }

  async replay(fromMs: number, toMs: number, signal: AbortSignal): Promise<ReplayRequest> {
    const { search, replay } = await this.#services(signal);
    const offsetMs = steadyOffsetMs(this.#client.clockOffsetMs ?? 0);
    const { token } = await this.#recording(search, signal);
    const text = readReplayUri(await this.#client.ask(getReplayUri(token), signal, replay));
    const found = text === null ? null : this.#client.onSameHost(text, /^rtsps?:$/);
    if (found === null)
      throw new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason: 'no replay URL' });
    const range = `clock=${clockTime(fromMs + offsetMs)}-${clockTime(toMs + offsetMs)}`;
    return {
      url: withLogin(found, this.#channel.httpUrl),
      fields: {
        setup: [REQUIRE],
        play: [REQUIRE, ['Range', range], ['Rate-Control', 'no']],
      },
      offsetMs,
    };
  }

  /** The clock is read again after a while: someone may set it. */
  async #services(signal: AbortSignal): Promise<Places> {
    this.#places ??= this.#findServices(signal).catch((thrown) => {
      this.#places = null;
      throw thrown;
    });
    const places = await this.#places;
    if (this.#clock.monoMs() - this.#clockReadMonoMs > CLOCK_AGAIN_MS) await this.#readClock(signal);
    return places;
  }

  async #readClock(signal: AbortSignal): Promise<void> {
    this.#clockReadMonoMs = this.#clock.monoMs();
    await this.#client.readClock(signal);
  }

  async #findServices(signal: AbortSignal): Promise<Places> {
    await this.#readClock(signal);
    const { search, replay } = await this.#client.services(signal);
    if (search === null || replay === null) throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_SUPPORTED, {});
    return { search, replay };
  }

  async #recording(search: URL, signal: AbortSignal): Promise<FoundRecording> {
    const all = await this.#search(findRecordings(), 'recordings', readRecordings, search, signal);
    const { channel } = this.#channel;
    const found = all.filter(({ hasVideo }) => hasVideo)[channel - 1];
    if (found === undefined)
      throw new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason: 'no such channel', channel });
    return found;
  }

  async #spans(
    { token, fromMs: earliestMs, toMs: latestMs }: FoundRecording,
    search: URL,
    fromMs: number,
    toMs: number,
    signal: AbortSignal,
  ): Promise<ArchiveSpan[]> {
    const whole = { fromMs: earliestMs ?? fromMs, toMs: latestMs ?? toMs };
    let changes: readonly TrackChange[];
    try {
      const request = findTrackChanges(token, fromMs, toMs);
      changes = await this.#search(request, 'events', readTrackChanges, search, signal);
    } catch (thrown) {
      // Devices that cannot say where the gaps are say at least where it begins and ends.
      if (!isPassedOver(thrown)) throw thrown;
      return [whole];
    }
    return changes.length === 0 ? [whole] : recordedSpans(changes, Math.min(toMs, whole.toMs));
  }

  async #search<Result>(
    request: SoapMessage,
    kind: 'recordings' | 'events',
    read: (body: XmlElement) => SearchPage<Result>,
    search: URL,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const token = readSearchToken(await this.#client.ask(request, signal, search));
    if (token === null)
      throw new GatewayError(RECORDER_ERRORS.RECORDER_BAD_RESPONSE, { reason: 'no search token' });
    const found: Result[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const { results, isOpen } = read(await this.#client.ask(getResults(kind, token), signal, search));
      found.push(...results);
      if (found.length > MAX_RESULTS) break;
      if (!isOpen) return found;
    }
    await this.#client.ask(endSearch(token), signal, search).catch(() => undefined);
    throw new GatewayError(RECORDER_ERRORS.RECORDER_LIST_TOO_LONG, { limit: MAX_RESULTS });
  }
}

/** Spans in which any track has data. A span that does not end lasts until `untilMs`. */
export function recordedSpans(changes: readonly TrackChange[], untilMs: number): ArchiveSpan[] {
  const spans: ArchiveSpan[] = [];
  const since = new Map<string, number>();
  for (const { token, atMs, isRecorded } of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    const fromMs = since.get(token);
    if (isRecorded && fromMs === undefined) since.set(token, atMs);
    else if (!isRecorded && fromMs !== undefined) {
      since.delete(token);
      if (atMs > fromMs) spans.push({ fromMs, toMs: atMs });
    }
  }
  for (const fromMs of since.values()) if (untilMs > fromMs) spans.push({ fromMs, toMs: untilMs });
  return spans;
}
