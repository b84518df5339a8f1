import { describe, expect, it } from 'vitest';
import { fakeHttp, NEVER_ABORTED, NOW_MS, testChannel, testClock } from './archive-fixture.ts';
import { HikvisionArchive } from './hikvision-archive.ts';
import { isoTime, shownTimeMs } from './recorder-times.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

interface Disk {
  /** How far the shown local time is ahead of UTC. */
  readonly zoneMs?: number;
  readonly aheadMs?: number;
  readonly writesUtc?: boolean;
  /** True times. */
  readonly files: readonly (readonly [fromMs: number, toMs: number])[];
  readonly page?: number;
}

function diskOf({ zoneMs = 0, aheadMs = 0, writesUtc = false, files, page = 40 }: Disk) {
  const writtenMs = aheadMs + (writesUtc ? 0 : zoneMs);
  return fakeHttp(({ path, body = '' }) => {
    if (path === '/ISAPI/System/time') {
      const hours = zoneMs / HOUR_MS;
      const zone = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
      const local = isoTime(NOW_MS + aheadMs + zoneMs).replace('Z', zone);
      return `<Time><localTime>${local}</localTime></Time>`;
    }
    const field = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(body)?.[1] ?? '';
    const [from, to] = [
      shownTimeMs(field('startTime'))! - writtenMs,
      shownTimeMs(field('endTime'))! - writtenMs,
    ];
    const all = files.filter(([fromMs, toMs]) => fromMs < to && toMs > from);
    const position = Number(field('searchResultPostion'));
    const matches = all
      .slice(position, position + page)
      .map(
        ([fromMs, toMs]) =>
          `<searchMatchItem><timeSpan><startTime>${isoTime(fromMs + writtenMs)}</startTime><endTime>${isoTime(toMs + writtenMs)}</endTime></timeSpan></searchMatchItem>`,
      );
    const status = position + page < all.length ? 'MORE' : 'OK';
    return `<CMSearchResult><responseStatusStrg>${status}</responseStatusStrg><matchList>${matches.join('')}</matchList></CMSearchResult>`;
  });
}

const archiveOf = (http: ReturnType<typeof fakeHttp>) =>
  new HikvisionArchive(testChannel('hikvision'), http, testClock());

/** An hour ago, and up to now. */
const RECENT = [
  [NOW_MS - 3 * HOUR_MS, NOW_MS - 2 * HOUR_MS],
  [NOW_MS - HOUR_MS, NOW_MS],
] as const;
const RECENT_SPANS = RECENT.map(([fromMs, toMs]) => ({ fromMs, toMs }));
const list = (http: ReturnType<typeof fakeHttp>) =>
  archiveOf(http).list(NOW_MS - 4 * HOUR_MS, NOW_MS + HOUR_MS, NEVER_ABORTED);

describe('the list of a Hikvision recorder', () => {
  it.each([
    ['in UTC', {}],
    ['in local time that ends in Z (most firmware)', { zoneMs: 8 * HOUR_MS }],
    ['in UTC, in a zone', { zoneMs: 8 * HOUR_MS, writesUtc: true }],
    ['with a clock that is 7 minutes ahead', { zoneMs: -5 * HOUR_MS, aheadMs: 7 * MINUTE_MS }],
    [
      'with a clock that is 7 minutes late, in UTC',
      { zoneMs: 2 * HOUR_MS, aheadMs: -7 * MINUTE_MS, writesUtc: true },
    ],
  ])('has true times: %s', async (_name, clock) => {
    expect(await list(diskOf({ ...clock, files: RECENT }))).toEqual(RECENT_SPANS);
  });

  it('is read page by page', async () => {
    const files = Array.from({ length: 100 }, (_, i) => {
      const fromMs = NOW_MS - 4 * HOUR_MS + i * 2 * MINUTE_MS;
      return [fromMs, fromMs + MINUTE_MS] as const;
    });
    const spans = await list(diskOf({ files, page: 40 }));
    expect(spans).toEqual(files.map(([fromMs, toMs]) => ({ fromMs, toMs })));
  });

  it('names the track of the channel', async () => {
    const http = diskOf({ files: RECENT });
    await list(http);
    expect(http.calls.at(-1)?.body).toContain('<trackID>301</trackID>');
  });

  it.each([
    ['no XML', 'Not Found', 'RECORDER_BAD_RESPONSE'],
    ['another document', '<html><body>Login</body></html>', 'RECORDER_BAD_RESPONSE'],
  ])('fails if the recorder sends %s', async (_name, text, code) => {
    await expect(list(fakeHttp(() => text))).rejects.toMatchObject({ code });
  });

  it('fails if the recorder always has more', async () => {
    const match =
      '<searchMatchItem><startTime>2024-01-31T10:00:00Z</startTime><endTime>2024-01-31T10:01:00Z</endTime></searchMatchItem>';
    const http = fakeHttp(({ path }) =>
      path === '/ISAPI/System/time'
        ? '<Time><localTime>2024-01-31T12:00:00+00:00</localTime></Time>'
        : `<R><responseStatusStrg>MORE</responseStatusStrg>${match.repeat(40)}</R>`,
    );
    await expect(list(http)).rejects.toMatchObject({ code: 'RECORDER_LIST_TOO_LONG' });
    expect(http.calls.length).toBeLessThan(40);
  });

  it('ends if the recorder says MORE and sends nothing', async () => {
    const http = fakeHttp(({ path }) =>
      path === '/ISAPI/System/time'
        ? '<Time><localTime>2024-01-31T12:00:00+00:00</localTime></Time>'
        : '<R><responseStatusStrg>MORE</responseStatusStrg><matchList/></R>',
    );
    expect(await list(http)).toEqual([]);
  });
});

describe('a recording of a Hikvision recorder', () => {
  it('is requested in the time of the recorder, with the login of the camera', async () => {
    const http = diskOf({ zoneMs: 8 * HOUR_MS, aheadMs: 7 * MINUTE_MS, files: RECENT });
    const { url, offsetMs } = await archiveOf(http).replay(NOW_MS - HOUR_MS, NOW_MS, NEVER_ABORTED);
    expect(url.redacted()).toBe(
      'rtsp://192.0.2.20:554/Streaming/tracks/301?starttime=20240131T190700Z&endtime=20240131T200700Z',
    );
    expect(url.credentials()?.username).toBe('admin');
    expect(offsetMs).toBe(8 * HOUR_MS + 7 * MINUTE_MS);
  });
});
