import { describe, expect, it } from 'vitest';
import { BELIEVED_AFTER_MS } from '../core/cautious-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { SAVED_CLIPS, SavedClips } from '../events/saved-clips.ts';
import { CASES_START_MS, casesBench } from './cases-fixture.ts';
import { HOLD_SWEEP_MS, HoldEnds } from './hold-ends.ts';

const HOUR_MS = 3_600_000;
type Bench = Awaited<ReturnType<typeof casesBench>>;

function timeOf(cameraUuid = newRuuid()) {
  return { cameraUuid, startMs: CASES_START_MS, endMs: CASES_START_MS + HOUR_MS };
}

async function saveClip({ store, orgUuid }: Bench) {
  const uuid = newRuuid();
  const body = { reportedId: null, deviceUuids: [newRuuid()], locationUuid: null, timestampMs: 1 };
  const times = { createdAtMs: 1, updatedAtMs: 1 };
  const clip = { uuid, orgUuid, name: '', parentUuid: null, secret: null, body, ...times };
  await store.resources.of(SAVED_CLIPS).save(clip);
  return uuid;
}

describe('a legal hold', () => {
  it('says who holds what and why, until someone releases it', async () => {
    const bench = await casesBench();
    const { holds, orgUuid, store } = bench;
    const thing = timeOf();
    const request = { thing, reason: ' Theft ', heldBy: 'Ada', untilMs: null };
    const { uuid } = await holds.create(orgUuid, request);
    expect(await holds.list(orgUuid)).toMatchObject([
      { uuid, body: { ...thing, reason: 'Theft', heldBy: 'Ada' } },
    ]);
    expect(await store.recordingHolds.list()).toEqual([{ uuid, orgUuid, ...thing }]);
    expect(await holds.list(newRuuid())).toEqual([]);
    await expect(holds.release(newRuuid(), uuid)).rejects.toMatchObject({ code: 'HOLD_NOT_FOUND' });
    await holds.release(orgUuid, uuid);
    expect([await holds.list(orgUuid), await store.recordingHolds.list()]).toEqual([[], []]);
  });

  it.each([
    [{ reason: ' ' }, 'HOLD_REASON_MISSING'],
    [{ untilMs: CASES_START_MS }, 'HOLD_END_INVALID'],
    [{ thing: { ...timeOf(), endMs: CASES_START_MS } }, 'HOLD_TIME_INVALID'],
    [{ thing: { ...timeOf(), endMs: CASES_START_MS + 32 * 24 * HOUR_MS } }, 'HOLD_TIME_INVALID'],
  ])('is refused with %o', async (part, code) => {
    const { holds, orgUuid, store } = await casesBench();
    const request = { thing: timeOf(), reason: 'Theft', heldBy: 'Ada', untilMs: null, ...part };
    await expect(holds.create(orgUuid, request)).rejects.toMatchObject({ code });
    expect(await store.recordingHolds.list()).toEqual([]);
  });

  it('leaves half of the disk to others, whatever one organization holds', async () => {
    const bench = await casesBench({ freeBytes: 0 });
    const { holds, orgUuid, record } = bench;
    const [first, second] = [await record(30), await record(30)];
    const hold = (org: typeof orgUuid, { cameraUuid }: typeof first) =>
      holds.create(org, { thing: timeOf(cameraUuid), reason: 'Theft', heldBy: 'Ada', untilMs: null });
    await hold(orgUuid, first);
    const { heldBytes, allowedBytes } = await holds.use(orgUuid);
    expect(heldBytes).toBeGreaterThan(0);
    expect(heldBytes).toBeLessThanOrEqual(allowedBytes!);
    await expect(hold(orgUuid, second)).rejects.toMatchObject({ code: 'TOO_MUCH_HELD' });
    expect(await holds.list(orgUuid)).toHaveLength(1);
    // Without room in the gateway's disk, there is no bound.
    const remote = await casesBench();
    expect((await remote.holds.use(remote.orgUuid)).allowedBytes).toBeNull();
  });

  it('keeps a clip from being deleted by anyone', async () => {
    const bench = await casesBench();
    const { holds, orgUuid, store, clock } = bench;
    const clipUuid = await saveClip(bench);
    const hold = await holds.create(orgUuid, {
      thing: { clipUuid },
      reason: 'Theft',
      heldBy: 'Ada',
      untilMs: null,
    });
    const clips = new SavedClips({ store, alerts: { markSaved: async () => undefined } as never, clock });
    await expect(clips.remove(orgUuid, clipUuid, null)).rejects.toMatchObject({ code: 'SAVED_CLIP_HELD' });
    await holds.release(orgUuid, hold.uuid);
    await clips.remove(orgUuid, clipUuid, null);
    expect(await clips.known(orgUuid, clipUuid)).toBeNull();
  });

  it('ends at its time, and not because someone set the clock ahead', async () => {
    const { holds, orgUuid, store, clock } = await casesBench();
    const ends = new HoldEnds({ store, clock, log: silentLog });
    const request = { thing: timeOf(), reason: 'Theft', heldBy: 'Ada' };
    await holds.create(orgUuid, { ...request, untilMs: CASES_START_MS + 24 * HOUR_MS });
    const forever = await holds.create(orgUuid, { ...request, untilMs: null });
    ends.begin();
    await ends.settled();
    const sweep = async (afterMs: number) => {
      clock.advance(afterMs);
      await ends.settled();
      return (await holds.list(orgUuid)).length;
    };
    clock.stepWallClock(48 * HOUR_MS);
    expect(await sweep(HOLD_SWEEP_MS)).toBe(2);
    await sweep(BELIEVED_AFTER_MS);
    expect(await sweep(HOLD_SWEEP_MS)).toBe(1);
    expect(await store.recordingHolds.list()).toMatchObject([{ uuid: forever.uuid }]);
    await ends.close();
  });

  it('leaves no held time behind when the gateway ends before the record is stored', async () => {
    const { store, orgUuid, clock } = await casesBench();
    const ends = new HoldEnds({ store, clock, log: silentLog });
    await store.recordingHolds.save({ uuid: newRuuid(), orgUuid, ...timeOf() });
    ends.begin();
    await ends.settled();
    // It may be that its record is being stored.
    expect(await store.recordingHolds.list()).toHaveLength(1);
    clock.advance(HOLD_SWEEP_MS);
    await ends.settled();
    expect(await store.recordingHolds.list()).toEqual([]);
    await ends.close();
  });
});
