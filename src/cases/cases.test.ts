import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { actWithin } from '../store/acting-view.ts';
import { CASES_START_MS, casesBench } from './cases-fixture.ts';

type Bench = Awaited<ReturnType<typeof casesBench>>;
const FIELDS = { title: 'Theft', number: '17', notes: '' };

function adding(cameraUuid: Ruuid) {
  const thing = { cameraUuid, startMs: CASES_START_MS, endMs: CASES_START_MS + 60_000 };
  return { thing, note: '', by: 'Ada', reader: newRuuid() };
}

async function openCase({ cases, orgUuid }: Bench, cameras: readonly Ruuid[]) {
  const { uuid } = await cases.create(orgUuid, FIELDS, 'Ada');
  for (const camera of cameras) await cases.add(orgUuid, uuid, adding(camera));
  return uuid;
}

function seeing<T>(cameras: readonly Ruuid[], work: () => Promise<T>): Promise<T> {
  const view = { seesDevice: (uuid: Ruuid) => cameras.includes(uuid), namesHidden: () => false };
  return actWithin(view as never, work);
}

describe('a case', () => {
  it('holds what is added, once for a double click, and releases what is removed', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, holds, store } = bench;
    const [camera, uuid] = [newRuuid(), await openCase(bench, [])];
    const [one, other] = await Promise.all([
      cases.add(orgUuid, uuid, adding(camera)),
      cases.add(orgUuid, uuid, adding(camera)),
    ]);
    expect(one).toEqual(other);
    const [hold, ...more] = await holds.list(orgUuid, { caseUuid: uuid });
    expect(more).toEqual([]);
    expect(hold?.body.reason).toBe('Case 17 Theft');
    await expect(holds.release(orgUuid, hold!.uuid)).rejects.toMatchObject({ code: 'HOLD_OF_CASE' });
    await cases.removeItem(orgUuid, uuid, one.uuid);
    expect([await holds.list(orgUuid), await store.recordingHolds.list()]).toEqual([[], []]);
  });

  it('is not found by another organization, and releases its holds when it is deleted', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, store } = bench;
    const uuid = await openCase(bench, [newRuuid(), newRuuid()]);
    const other = newRuuid();
    expect(await cases.list(other)).toEqual([]);
    for (const call of [
      () => cases.find(other, uuid),
      () => cases.update(other, uuid, { title: 'Mine' }),
      () => cases.add(other, uuid, adding(newRuuid())),
      () => cases.remove(other, uuid),
      () => bench.sealer.seal(other, uuid, 'Eve'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' });
    }
    expect(await store.recordingHolds.list()).toHaveLength(2);
    await cases.remove(orgUuid, uuid);
    expect(bench.endedLinks).toEqual([uuid]);
    expect(await store.recordingHolds.list()).toEqual([]);
  });

  it('shows people with limited rights the items of their cameras, and how many others there are', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, sealer } = bench;
    const [mine, theirs] = [newRuuid(), newRuuid()];
    const uuid = await openCase(bench, [mine, theirs]);
    const shown = await seeing([mine], () => cases.find(orgUuid, uuid));
    expect(shown).toMatchObject({ items: [{ cameraUuid: mine }], hiddenItems: 1 });
    expect(await seeing([], () => cases.list(orgUuid))).toEqual([]);
    await expect(seeing([], () => cases.find(orgUuid, uuid))).rejects.toMatchObject({
      code: 'CASE_NOT_FOUND',
    });
    for (const call of [
      () => cases.remove(orgUuid, uuid),
      () => cases.reopen(orgUuid, uuid),
      () => sealer.seal(orgUuid, uuid, 'Eve'),
    ]) {
      await expect(seeing<unknown>([mine], call)).rejects.toMatchObject({ code: 'CASE_HAS_HIDDEN_ITEMS' });
    }
    const [hidden] = (await cases.find(orgUuid, uuid)).items.filter(
      ({ cameraUuid }) => cameraUuid === theirs,
    );
    await seeing([mine], () => cases.removeItem(orgUuid, uuid, hidden!.uuid));
    expect((await cases.find(orgUuid, uuid)).items).toHaveLength(2);
  });

  it('does not change while it is sealed, until someone reopens it', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, sealer, record } = bench;
    const { cameraUuid } = await record(3);
    const uuid = await openCase(bench, [cameraUuid]);
    // A double click.
    await Promise.all([sealer.seal(orgUuid, uuid, 'Ada'), sealer.seal(orgUuid, uuid, 'Ada')]);
    await sealer.settled();
    const { record: sealed, items } = await cases.find(orgUuid, uuid);
    expect(sealed.body).toMatchObject({
      state: 'sealed',
      sealedAtMs: expect.any(Number),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const call of [
      () => cases.update(orgUuid, uuid, { notes: 'More' }),
      () => cases.add(orgUuid, uuid, adding(newRuuid())),
      () => cases.removeItem(orgUuid, uuid, items[0]!.uuid),
      () => sealer.seal(orgUuid, uuid, 'Ada'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'CASE_SEALED' });
    }
    await cases.reopen(orgUuid, uuid);
    expect(bench.endedLinks).toEqual([uuid]);
    expect(await cases.seal(orgUuid, uuid)).toBeNull();
    await cases.update(orgUuid, uuid, { notes: 'More' });
  });

  it('is sealed by the next run if the gateway ends meanwhile', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, sealer, record } = bench;
    const uuid = await openCase(bench, [(await record(3)).cameraUuid]);
    await cases.change(orgUuid, uuid, (now) => ({ ...now, body: { ...now.body, state: 'sealing' } }));
    await sealer.begin();
    await sealer.settled();
    expect((await cases.find(orgUuid, uuid)).record.body.state).toBe('sealed');
  });

  it('says why it could not be sealed', async () => {
    const bench = await casesBench();
    const { cases, orgUuid, sealer } = bench;
    const uuid = await openCase(bench, []);
    await expect(sealer.seal(orgUuid, uuid, 'Ada')).rejects.toMatchObject({ code: 'CASE_EMPTY' });
    await cases.add(orgUuid, uuid, adding(newRuuid()));
    await sealer.seal(orgUuid, uuid, 'Ada');
    await sealer.settled();
    const { body } = (await cases.find(orgUuid, uuid)).record;
    expect(body).toMatchObject({ state: 'failed', failureCode: 'CASE_WITHOUT_MEDIA' });
  });
});
