import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { LIVE_MOMENTS_MS, PAST_STEP_MS, PastAccess } from './past-access.ts';
import { FIXTURE_EPOCH_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

const HOUR_MS = 3_600_000;
const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;

let fixture: SharingFixture;
let access: PastAccess;
beforeEach(async () => {
  fixture = await openSharingFixture();
  access = new PastAccess(fixture.directory, fixture.clock);
});
afterEach(() => fixture.close());

const makeShare = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, vodEnabled: true, ...fields });

async function makeSchedule(intervals: readonly { startSec: number; stopSec: number }[]) {
  const request = { name: 'Spans', oneTimeUse: true, intervals };
  return (await fixture.schedules.createAbsolute(fixture.orgUuid, request)).uuid;
}

describe('PastAccess', () => {
  it('shows all of the past of a device', () => {
    expect(access.spans({ shareUuid: null }, 5, 10)).toEqual([{ fromMs: 5, toMs: 10 }]);
  });

  it('shows the past of a share only if it has vodEnabled, and nothing from before it existed', async () => {
    const { uuid: without } = await makeShare({ vodEnabled: false });
    expect(access.spans({ shareUuid: without }, 0, FIXTURE_EPOCH_MS)).toBeNull();
    const share = await makeShare();
    const fromMs = FIXTURE_EPOCH_MS - LIVE_MOMENTS_MS;
    const spansOf = (from: number, to: number) => access.spans({ shareUuid: share.uuid }, from, to);
    expect(spansOf(0, FIXTURE_EPOCH_MS + 5)).toEqual([{ fromMs, toMs: FIXTURE_EPOCH_MS + 5 }]);
    expect(spansOf(fromMs + 7, fromMs + 9)).toEqual([{ fromMs: fromMs + 7, toMs: fromMs + 9 }]);
    expect(spansOf(0, fromMs)).toEqual([]);
    await fixture.shares.remove(fixture.orgUuid, share.uuid);
    expect(spansOf(0, FIXTURE_EPOCH_MS)).toBeNull();
  });

  it('shows as much before now as the share says, also from before it existed, in steps', async () => {
    const { uuid } = await makeShare({ vodPastSecs: 7_200 });
    const edgeMs = Math.ceil((FIXTURE_EPOCH_MS - 2 * HOUR_MS) / PAST_STEP_MS) * PAST_STEP_MS;
    const spansOf = () => access.spans({ shareUuid: uuid }, 0, FIXTURE_EPOCH_MS);
    expect(spansOf()).toEqual([{ fromMs: edgeMs, toMs: FIXTURE_EPOCH_MS }]);
    // The edge follows the clock, but not each moment of it: a download would be cut off.
    fixture.clock.advance(edgeMs + 2 * HOUR_MS - FIXTURE_EPOCH_MS);
    expect(spansOf()).toEqual([{ fromMs: edgeMs, toMs: FIXTURE_EPOCH_MS }]);
    fixture.clock.advance(1);
    expect(spansOf()).toEqual([{ fromMs: edgeMs + PAST_STEP_MS, toMs: FIXTURE_EPOCH_MS }]);
    await fixture.shares.update(fixture.orgUuid, uuid, { vodPastSecs: null });
    expect(spansOf()).toEqual([{ fromMs: FIXTURE_EPOCH_MS - LIVE_MOMENTS_MS, toMs: FIXTURE_EPOCH_MS }]);
  });

  it('ends before the share does, at the second that it says, and at once when it is turned off', async () => {
    const { uuid } = await makeShare({ vodExpirationTimeSecs: 60, expirationTimeSecs: 3_600 });
    const spans = () => access.spans({ shareUuid: uuid }, 0, FIXTURE_EPOCH_MS);
    fixture.clock.advance(59_999);
    expect(spans()).toHaveLength(1);
    fixture.clock.advance(1);
    expect(spans()).toBeNull();
    await fixture.shares.update(fixture.orgUuid, uuid, { vodExpirationTimeSecs: null });
    expect(spans()).toHaveLength(1);
    await fixture.shares.update(fixture.orgUuid, uuid, { vodEnabled: false });
    expect(spans()).toBeNull();
  });

  it('hides times before the share that its schedule hid', async () => {
    const startSec = NOW_SEC - 1_800;
    const scheduleUuid = await makeSchedule([{ startSec, stopSec: NOW_SEC - 900 }]);
    const { uuid } = await makeShare({ scheduleUuid, vodPastSecs: 86_400 });
    expect(access.spans({ shareUuid: uuid }, 0, FIXTURE_EPOCH_MS)).toEqual([
      { fromMs: startSec * 1_000, toMs: (NOW_SEC - 900) * 1_000 },
    ]);
  });

  it('shows nothing that the schedule hid, however it is meant', async () => {
    const at = (hours: number) => FIXTURE_EPOCH_MS + hours * HOUR_MS;
    const scheduleUuid = await makeSchedule([
      { startSec: at(1) / 1_000, stopSec: at(2) / 1_000 },
      { startSec: at(3) / 1_000, stopSec: at(4) / 1_000 },
    ]);
    const shown = await makeShare({ scheduleUuid });
    expect(access.spans({ shareUuid: shown.uuid }, at(0.5), at(3.5))).toEqual([
      { fromMs: at(1), toMs: at(2) },
      { fromMs: at(3), toMs: at(3.5) },
    ]);
    const hidden = await makeShare({ scheduleUuid, invertSchedule: true });
    expect(access.spans({ shareUuid: hidden.uuid }, at(0.5), at(3.5))).toEqual([
      { fromMs: at(0.5), toMs: at(1) },
      { fromMs: at(2), toMs: at(3) },
    ]);
  });

  it('asks once about a long time, until something changes', async () => {
    const scheduleUuid = await makeSchedule([{ startSec: NOW_SEC, stopSec: NOW_SEC + 3_600 }]);
    const share = await makeShare({ scheduleUuid });
    const spans = () => access.spans({ shareUuid: share.uuid }, 0, FIXTURE_EPOCH_MS + 400 * 24 * HOUR_MS);
    const before = spans();
    expect(before).toEqual([{ fromMs: FIXTURE_EPOCH_MS, toMs: FIXTURE_EPOCH_MS + HOUR_MS }]);
    expect(spans()).toBe(before);
    await fixture.shares.update(fixture.orgUuid, share.uuid, { invertSchedule: true });
    expect(spans()).toHaveLength(2);
  });

  it('agrees with what was shown at each instant', async () => {
    const seconds = fc.integer({ min: -60, max: 600 });
    const interval = fc.tuple(seconds, fc.integer({ min: 1, max: 200 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(interval, { minLength: 1, maxLength: 6 }),
        ...([fc.boolean(), seconds, fc.integer({ min: 1, max: 500 })] as const),
        async (intervals, invertSchedule, fromSec, lengthSec) => {
          const scheduleUuid = await makeSchedule(
            intervals.map(([start, length]) => ({
              startSec: NOW_SEC + start,
              stopSec: NOW_SEC + start + length,
            })),
          );
          const share = await makeShare({ scheduleUuid, invertSchedule });
          const fromMs = FIXTURE_EPOCH_MS + fromSec * 1_000;
          const spans = access.spans({ shareUuid: share.uuid }, fromMs, fromMs + lengthSec * 1_000)!;
          for (let atMs = fromMs; atMs < fromMs + lengthSec * 1_000; atMs += 500) {
            const isInSpan = spans.some((span) => atMs >= span.fromMs && atMs < span.toMs);
            expect(isInSpan).toBe(fixture.gate.wasShown(share.uuid, atMs));
          }
        },
      ),
      randomRuns(40),
    );
  });
});
