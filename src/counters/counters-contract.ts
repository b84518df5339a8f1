/** The contract of every implementation of the counters. Each implementation's test runs it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CountedShare, Counters } from './counters.ts';

const VIEWER_TIMEOUT_MS = 15_000;

/** Options that a test passes to the implementation. */
export interface CountersUnderTest {
  readonly clock: FakeClock;
  readonly viewerTimeoutMs: number;
}

/** `open` returns empty counters; the suite closes them. */
export function describeCountersContract(
  name: string,
  open: (options: CountersUnderTest) => Promise<Counters>,
): void {
  describe(`counters contract: ${name}`, () => {
    let clock: FakeClock;
    let counters: Counters;

    beforeEach(async () => {
      clock = new FakeClock();
      counters = await open({ clock, viewerTimeoutMs: VIEWER_TIMEOUT_MS });
    });
    afterEach(() => counters.close());

    describeShareCounts({ clock: () => clock, counters: () => counters });
    describeReconcile({ clock: () => clock, counters: () => counters });
    describeViewers({ clock: () => clock, counters: () => counters });
  });
}

interface Context {
  clock(): FakeClock;
  counters(): Counters;
}

/** A share of a camera without NVR that never expires, unless specified otherwise. */
export function countedShare(overrides: Partial<CountedShare> = {}): CountedShare {
  return { uuid: newRuuid(), cameraUuid: newRuuid(), nvrUuid: null, expiresAtSec: null, ...overrides };
}

function describeShareCounts({ clock, counters }: Context): void {
  describe('shares per device', () => {
    it('counts a share for its camera and its NVR, in the order of the request', async () => {
      const nvrUuid = newRuuid();
      const first = countedShare({ nvrUuid });
      const second = countedShare({ nvrUuid });
      await counters().putShare(first);
      await counters().putShare(second);
      await counters().putShare(countedShare({ cameraUuid: first.cameraUuid }));
      const requested = [newRuuid(), nvrUuid, first.cameraUuid, second.cameraUuid, nvrUuid];
      expect(await counters().shareCounts(requested)).toEqual([0, 2, 2, 1, 2]);
      expect(await counters().shareCounts([])).toEqual([]);
    });

    it('counts a share once no matter how often it is put', async () => {
      const share = countedShare({ nvrUuid: newRuuid() });
      for (let i = 0; i < 3; i++) await counters().putShare(share);
      expect(await counters().shareCounts([share.cameraUuid])).toEqual([1]);
    });

    it('moves a share whose camera and NVR change', async () => {
      const share = countedShare({ nvrUuid: newRuuid() });
      const moved = { ...share, cameraUuid: newRuuid(), nvrUuid: newRuuid() };
      const devices = [share.cameraUuid, share.nvrUuid!, moved.cameraUuid, moved.nvrUuid];
      await counters().putShare(share);
      expect(await counters().shareCounts(devices)).toEqual([1, 1, 0, 0]);
      await counters().putShare(moved);
      expect(await counters().shareCounts(devices)).toEqual([0, 0, 1, 1]);
      await counters().putShare({ ...moved, nvrUuid: null });
      expect(await counters().shareCounts(devices)).toEqual([0, 0, 1, 0]);
    });

    it('stops counting at the second of the expiration, and counts again if it is moved', async () => {
      const nowSec = clock().epochMs() / 1_000;
      const share = countedShare({ expiresAtSec: nowSec + 10 });
      await counters().putShare(share);
      clock().advance(9_999);
      expect(await counters().shareCounts([share.cameraUuid])).toEqual([1]);
      clock().advance(1);
      expect(await counters().shareCounts([share.cameraUuid])).toEqual([0]);
      await counters().putShare({ ...share, expiresAtSec: nowSec + 11 });
      expect(await counters().shareCounts([share.cameraUuid])).toEqual([1]);
      await counters().putShare({ ...share, expiresAtSec: null });
      clock().advance(10 * 365 * 86_400_000);
      expect(await counters().shareCounts([share.cameraUuid])).toEqual([1]);
    });

    it('forgets a removed share, and ignores an unknown one', async () => {
      const share = countedShare({ nvrUuid: newRuuid() });
      await counters().putShare(share);
      await counters().removeShare(share.uuid);
      await counters().removeShare(newRuuid());
      expect(await counters().shareCounts([share.cameraUuid, share.nvrUuid!])).toEqual([0, 0]);
    });

    it('ends up with the last of many simultaneous changes', async () => {
      const cameras = Array.from({ length: 40 }, () => newRuuid());
      const share = countedShare();
      await Promise.all(cameras.map((cameraUuid) => counters().putShare({ ...share, cameraUuid })));
      const counts = await counters().shareCounts(cameras);
      expect(counts).toEqual(cameras.map((_, i) => (i === cameras.length - 1 ? 1 : 0)));
    });
  });
}

function describeReconcile({ counters }: Context): void {
  describe('reconcile', () => {
    it('makes the counts exactly those of the given shares', async () => {
      const stale = countedShare();
      const kept = countedShare({ nvrUuid: newRuuid() });
      const moved = countedShare();
      for (const share of [stale, kept, moved]) await counters().putShare(share);
      const truth = [kept, { ...moved, cameraUuid: newRuuid() }, countedShare()];
      await counters().reconcile(truth);
      const gone = [stale.cameraUuid, moved.cameraUuid];
      expect(await counters().shareCounts(gone)).toEqual([0, 0]);
      const devices: Ruuid[] = [...truth.map((share) => share.cameraUuid), kept.nvrUuid!];
      expect(await counters().shareCounts(devices)).toEqual([1, 1, 1, 1]);
      await counters().reconcile([]);
      expect(await counters().shareCounts(devices)).toEqual([0, 0, 0, 0]);
    });

    it('accepts thousands, and changes made in the meantime win', async () => {
      const cameraUuid = newRuuid();
      const shares = Array.from({ length: 3_000 }, () => countedShare({ cameraUuid }));
      const elsewhere = { ...shares[0]!, cameraUuid: newRuuid() };
      await Promise.all([
        counters().reconcile(shares),
        counters().putShare(elsewhere),
        counters().removeShare(shares[2_999]!.uuid),
      ]);
      expect(await counters().shareCounts([cameraUuid, elsewhere.cameraUuid])).toEqual([2_998, 1]);
    });
  });
}

function describeViewers({ clock, counters }: Context): void {
  describe('viewers per share', () => {
    it('counts each viewer once, in the order of the request', async () => {
      const [first, second, third] = [newRuuid(), newRuuid(), newRuuid()];
      for (let i = 0; i < 3; i++) {
        counters().viewerSeen(first, 'anna');
        counters().viewerSeen(first, 'ben');
        counters().viewerSeen(second, 'anna');
      }
      expect(await counters().viewerCounts([third, first, second])).toEqual([0, 2, 1]);
      expect([first, second, third].map((uuid) => counters().localViewerCount(uuid))).toEqual([2, 1, 0]);
    });

    it('stops counting viewers as soon as they leave, and counts those who return', async () => {
      const share = newRuuid();
      counters().viewerSeen(share, 'anna');
      counters().viewerSeen(share, 'ben');
      counters().viewerLeft(share, 'anna');
      counters().viewerLeft(share, 'carl');
      expect(await counters().viewerCounts([share])).toEqual([1]);
      counters().viewerLeft(share, 'ben');
      counters().viewerSeen(share, 'ben');
      expect(await counters().viewerCounts([share])).toEqual([1]);
      counters().viewerLeft(share, 'ben');
      expect(await counters().viewerCounts([share])).toEqual([0]);
      expect(counters().localViewerCount(share)).toBe(0);
    });

    it('stops counting viewers who were not seen for the timeout', async () => {
      const share = newRuuid();
      counters().viewerSeen(share, 'quiet');
      for (let sec = 0; sec < 20; sec++) {
        counters().viewerSeen(share, 'watching');
        clock().advance(1_000);
        const expected = sec < 14 ? 2 : 1;
        expect([sec, ...(await counters().viewerCounts([share]))]).toEqual([sec, expected]);
        expect(counters().localViewerCount(share)).toBe(expected);
      }
      clock().advance(VIEWER_TIMEOUT_MS - 1_001);
      expect(await counters().viewerCounts([share])).toEqual([1]);
      clock().advance(1);
      expect(await counters().viewerCounts([share])).toEqual([0]);
    });
  });
}
