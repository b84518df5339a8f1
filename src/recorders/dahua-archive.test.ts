import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { fakeHttp, NEVER_ABORTED, NOW_MS, testChannel, testClock } from './archive-fixture.ts';
import { DahuaArchive } from './dahua-archive.ts';
import { RECORDER_ERRORS } from './errors.ts';
import { spacedTime } from './recorder-times.ts';

const HOUR_MS = 3_600_000;
/** Of its clock and its zone together. */
const AHEAD_MS = -5 * HOUR_MS + 7 * 60_000;

function recorder(files: readonly (readonly [number, number])[]) {
  return fakeHttp(({ path }) => {
    if (path.includes('getCurrentTime')) return `result = ${spacedTime(NOW_MS + AHEAD_MS)}\r\n`;
    if (path.includes('factory.create')) return 'result=08137\r\n';
    if (path.includes('findFile') && files.length === 0)
      return new GatewayError(RECORDER_ERRORS.RECORDER_REFUSED, { status: 400 });
    if (!path.includes('findNextFile')) return 'OK\r\n';
    const items = files.map(
      ([fromMs, toMs], i) =>
        `items[${i}].StartTime=${spacedTime(fromMs + AHEAD_MS)}\r\nitems[${i}].EndTime=${spacedTime(toMs + AHEAD_MS)}\r\n`,
    );
    return `found=${files.length}\r\n${items.join('')}`;
  });
}

const list = (http: ReturnType<typeof fakeHttp>) =>
  new DahuaArchive(testChannel('dahua'), http, testClock()).list(NOW_MS - 4 * HOUR_MS, NOW_MS, NEVER_ABORTED);

describe('the list of a Dahua recorder', () => {
  it('has true times, asked for and read by the clock of the recorder', async () => {
    const http = recorder([[NOW_MS - 2 * HOUR_MS, NOW_MS - HOUR_MS]]);
    expect(await list(http)).toEqual([{ fromMs: NOW_MS - 2 * HOUR_MS, toMs: NOW_MS - HOUR_MS }]);
    const find = http.calls.find(({ path }) => path.includes('findFile'))!;
    expect(decodeURIComponent(find.path)).toContain(
      'condition.Channel=3&condition.StartTime=2024-01-31 03:07:00',
    );
  });

  it('closes its finder, also after an error', async () => {
    const http = fakeHttp(({ path }) => {
      if (path.includes('getCurrentTime')) return `result = ${spacedTime(NOW_MS)}`;
      if (path.includes('factory.create')) return 'result=7';
      return path.includes('findNextFile') ? 'found=many' : 'OK';
    });
    await expect(list(http)).rejects.toMatchObject({ code: 'RECORDER_BAD_RESPONSE' });
    expect(http.calls.slice(-2).map(({ path }) => path.split('action=')[1])).toEqual([
      'close&object=7',
      'destroy&object=7',
    ]);
  });

  it('is empty if the recorder refuses to search: this is how it says that there is nothing', async () => {
    expect(await list(recorder([]))).toEqual([]);
  });

  it('does not take a page of HTML for a finder', async () => {
    const http = fakeHttp(({ path }) =>
      path.includes('getCurrentTime') ? `result = ${spacedTime(NOW_MS)}` : '<html>',
    );
    await expect(list(http)).rejects.toMatchObject({ code: 'RECORDER_BAD_RESPONSE' });
  });
});

describe('a recording of a Dahua recorder', () => {
  it('is requested in the local time of the recorder', async () => {
    const archive = new DahuaArchive(testChannel('dahua'), recorder([]), testClock());
    const { url } = await archive.replay(NOW_MS - HOUR_MS, NOW_MS, NEVER_ABORTED);
    expect(url.redacted()).toBe(
      'rtsp://192.0.2.20:554/cam/playback?channel=3&starttime=2024_01_31_06_07_00&endtime=2024_01_31_07_07_00',
    );
  });
});
