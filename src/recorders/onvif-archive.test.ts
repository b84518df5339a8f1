import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { SoapMessage } from '../onvif/soap.ts';
import { parseXml } from '../onvif/xml-element.ts';
import { NEVER_ABORTED, NOW_MS, testChannel, testClock } from './archive-fixture.ts';
import { OnvifArchive, recordedSpans } from './onvif-archive.ts';

const HOUR_MS = 3_600_000;
const iso = (epochMs: number) => new Date(epochMs).toISOString();

/** A device whose channels are recordings, with events of their tracks. `clock.aheadMs`: of its clock. */
function device(clock: { aheadMs: number }, events: string | null) {
  const requests: string[] = [];
  const recording = (token: string) =>
    `<RecordingInformation><RecordingToken>${token}</RecordingToken><EarliestRecording>${iso(NOW_MS - 5 * HOUR_MS + clock.aheadMs)}</EarliestRecording>` +
    `<LatestRecording>${iso(NOW_MS + clock.aheadMs)}</LatestRecording></RecordingInformation>`;
  let readMs = 0;
  return {
    requests,
    get clockOffsetMs() {
      return readMs;
    },
    readClock: async () => {
      readMs = clock.aheadMs;
    },
    services: async () => {
      const url = new URL('http://192.0.2.20/onvif/any');
      return { media: null, media2: null, events: null, ptz: null, search: url, replay: url };
    },
    onSameHost: (text: string) => {
      const url = new URL(text);
      url.hostname = '192.0.2.20';
      return url;
    },
    ask: async ({ body, action }: SoapMessage) => {
      const operation = action.split('/').at(-1)!;
      requests.push(`${operation} ${/Token>([^<]*)</.exec(body)?.[1] ?? ''}`);
      if (operation === 'FindEvents' && events === null)
        throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_SUPPORTED);
      const texts: Record<string, string> = {
        FindRecordings: '<SearchToken>recordings</SearchToken>',
        GetRecordingSearchResults: `<SearchState>Completed</SearchState>${['R1', 'R2', 'R3'].map(recording).join('')}`,
        FindEvents: '<SearchToken>events</SearchToken>',
        GetEventSearchResults: `<SearchState>Completed</SearchState>${events}`,
        GetReplayUri: '<Uri>rtsp://10.0.0.1/replay/R3</Uri>',
      };
      return parseXml(`<b><r>${texts[operation]}</r></b>`);
    },
  };
}

const change = (atMs: number, isRecorded: boolean) =>
  `<Result><TrackToken>V</TrackToken><Time>${iso(atMs)}</Time><SimpleItem Name="IsDataPresent" Value="${isRecorded}"/></Result>`;

describe('the list of an ONVIF recorder', () => {
  it('has the times at which a track has data, by the true clock', async () => {
    const aheadMs = 7 * 60_000;
    const events =
      change(NOW_MS - 3 * HOUR_MS + aheadMs, true) + change(NOW_MS - 2 * HOUR_MS + aheadMs, false);
    const client = device({ aheadMs }, events);
    const archive = new OnvifArchive(testChannel('onvif'), client, testClock());
    expect(await archive.list(NOW_MS - 4 * HOUR_MS, NOW_MS, NEVER_ABORTED)).toEqual([
      { fromMs: NOW_MS - 3 * HOUR_MS, toMs: NOW_MS - 2 * HOUR_MS },
    ]);
  });

  it('is from the first to the last recording if the device knows no events', async () => {
    const archive = new OnvifArchive(testChannel('onvif'), device({ aheadMs: 0 }, null), testClock());
    expect(await archive.list(NOW_MS - 4 * HOUR_MS, NOW_MS, NEVER_ABORTED)).toEqual([
      { fromMs: NOW_MS - 5 * HOUR_MS, toMs: NOW_MS },
    ]);
  });

  it('follows a clock that someone sets', async () => {
    const clock = testClock();
    const set = { aheadMs: 0 };
    const archive = new OnvifArchive(testChannel('onvif'), device(set, null), clock);
    await archive.list(NOW_MS - 4 * HOUR_MS, NOW_MS, NEVER_ABORTED);
    set.aheadMs = 2 * HOUR_MS;
    clock.advance(61_000);
    expect(await archive.list(NOW_MS - 4 * HOUR_MS, NOW_MS, NEVER_ABORTED)).toEqual([
      { fromMs: NOW_MS - 5 * HOUR_MS, toMs: NOW_MS },
    ]);
  });
});

describe('a recording of an ONVIF recorder', () => {
  it('is that of the channel, on the host that responded, with the login, in the time of the recorder', async () => {
    const client = device({ aheadMs: 7 * 60_000 }, null);
    const archive = new OnvifArchive(testChannel('onvif'), client, testClock());
    const { url, fields, offsetMs } = await archive.replay(NOW_MS - HOUR_MS, NOW_MS, NEVER_ABORTED);
    expect(client.requests.at(-1)).toBe('GetReplayUri R3');
    expect(url.reveal()).toBe('rtsp://admin:secret@192.0.2.20/replay/R3');
    expect(offsetMs).toBe(7 * 60_000);
    expect(fields.play).toEqual([
      ['Require', 'onvif-replay'],
      ['Range', 'clock=20240131T110700.000Z-20240131T120700.000Z'],
      ['Rate-Control', 'no'],
    ]);
  });
});

describe('spans of tracks', () => {
  const at = (token: string, atMs: number, isRecorded: boolean) => ({ token, atMs, isRecorded });

  it('last until the end if they do not end, and count once per track, in whatever order they come', () => {
    expect(
      recordedSpans([at('V', 50, true), at('V', 20, false), at('V', 10, true), at('A', 15, true)], 90),
    ).toEqual([
      { fromMs: 10, toMs: 20 },
      { fromMs: 15, toMs: 90 },
      { fromMs: 50, toMs: 90 },
    ]);
  });

  it('that end without a beginning, or at their beginning, are none', () => {
    expect(recordedSpans([at('V', 10, false), at('V', 20, true), at('V', 20, false)], 90)).toEqual([]);
  });
});
