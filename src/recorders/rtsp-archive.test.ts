import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import { NEVER_ABORTED, NOW_MS, testChannel } from './archive-fixture.ts';
import { RtspArchive } from './rtsp-archive.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_START_MS = NOW_MS - 12 * HOUR_MS;

type Times = readonly (readonly [number, number])[];

/** Plays from the requested time, or from the next recording. */
function archiveOf(spans: Times) {
  const probes: number[] = [];
  const archive = new RtspArchive(
    testChannel('rtsp'),
    async (_request, atMs) => {
      probes.push(atMs);
      const span = spans.find(([, toMs]) => toMs > atMs);
      if (span === undefined) throw new GatewayError(RTSP_ERRORS.RTSP_REFUSED, { statusCode: 457 });
      return Math.max(span[0], atMs);
    },
    () => NOW_MS,
  );
  return { archive, probes };
}

describe('the list of a recorder that only plays', () => {
  it('finds what is recorded, and gaps, to the minute', async () => {
    const spans: Times = [
      [DAY_START_MS + 90 * MINUTE_MS, DAY_START_MS + 5 * HOUR_MS],
      [DAY_START_MS + 7.25 * HOUR_MS, NOW_MS],
    ];
    const { archive, probes } = archiveOf(spans);
    const found = await archive.list(DAY_START_MS, DAY_START_MS + 24 * HOUR_MS, NEVER_ABORTED);
    expect(found).toHaveLength(2);
    found.forEach(({ fromMs, toMs }, i) => {
      expect(Math.abs(fromMs - spans[i]![0])).toBeLessThanOrEqual(MINUTE_MS);
      expect(Math.abs(toMs - spans[i]![1])).toBeLessThanOrEqual(MINUTE_MS);
    });
    expect(probes.length).toBeLessThan(60);
  });

  it('is empty if nothing plays', async () => {
    expect(await archiveOf([]).archive.list(DAY_START_MS, NOW_MS, NEVER_ABORTED)).toEqual([]);
  });

  it('asks a bounded number of times, however many gaps there are', async () => {
    const spans: Times = Array.from({ length: 700 }, (_, i) => {
      const fromMs = DAY_START_MS + i * MINUTE_MS;
      return [fromMs, fromMs + 10_000] as const;
    });
    const { archive, probes } = archiveOf(spans);
    await archive.list(DAY_START_MS, NOW_MS, NEVER_ABORTED);
    expect(probes.length).toBeLessThanOrEqual(240);
  });

  it('fails if the recorder cannot be reached', async () => {
    const archive = new RtspArchive(
      testChannel('rtsp'),
      () => Promise.reject(new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED, {})),
      () => NOW_MS,
    );
    await expect(archive.list(DAY_START_MS, NOW_MS, NEVER_ABORTED)).rejects.toMatchObject({
      code: 'RTSP_AUTH_FAILED',
    });
  });
});
