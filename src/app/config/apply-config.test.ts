import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { sampleCamera, sampleOrganization, sampleShare } from '../../store/sample-entities-fixture.ts';
import type { ChangeEvent, Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { applyConfig } from './apply-config.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from './default-organizations.ts';
import { parseConfig } from './load-config.ts';

const FILE = `
locations: [ { name: HQ, tz: Europe/Berlin, latitude: 52.5, longitude: 13 } ]
nvrs: [ { name: Core, location: HQ } ]
cameras:
  - { name: Lobby, nvr: Core, rtsp: "rtsp://viewer:old@192.0.2.1/main", substream: "rtsp://192.0.2.1/sub" }
  - { name: Gate, rtsp: "rtsp://192.0.2.2/" }
`;

describe('applyConfig', () => {
  const clock = new FakeClock();
  let store: Store;
  let changes: ChangeEvent[];

  beforeEach(async () => {
    store = await openTestStore(clock);
    await applyConfig(store, parseConfig('', 'none', {}), clock);
    changes = [];
    store.onChange((change) => changes.push(change));
  });
  afterEach(() => store.close());

  const apply = (text: string) => applyConfig(store, parseConfig(text, 'sluice.yaml', {}), clock);
  const counts = (created = 0, updated = 0, unchanged = 0, removed = 0) => ({
    created,
    updated,
    unchanged,
    removed,
  });

  it('creates one organization and its partner, always the same', async () => {
    expect((await store.organizations.list()).map(({ uuid }) => uuid).sort()).toEqual(
      [DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID].sort(),
    );
    expect((await store.organizations.find(DEFAULT_ORG_UUID))?.partnerUuid).toBe(DEFAULT_PARTNER_ORG_UUID);
  });

  it('creates what the file declares, with stable uuids and references', async () => {
    expect(await apply(FILE)).toEqual({ locations: counts(1), nvrs: counts(1), cameras: counts(2) });
    const [location] = await store.locations.list(DEFAULT_ORG_UUID);
    const [nvr] = await store.nvrs.list(DEFAULT_ORG_UUID);
    const lobby = await store.cameras.find(DEFAULT_ORG_UUID, deriveRuuid('camera', 'Lobby'));
    expect(location).toMatchObject({ name: 'HQ', tz: 'Europe/Berlin', latitude: 52.5, longitude: 13 });
    expect(nvr?.locationUuid).toBe(location?.uuid);
    expect(lobby).toMatchObject({
      nvrUuid: nvr?.uuid,
      locationUuid: location?.uuid,
      fromConfig: true,
      createdAtMs: clock.epochMs(),
    });
    expect(lobby?.rtspUrl.reveal()).toBe('rtsp://viewer:old@192.0.2.1/main');
  });

  it('does not touch what did not change', async () => {
    await apply(FILE);
    changes.length = 0;
    clock.advance(1_000);
    expect(await apply(FILE)).toEqual({
      locations: counts(0, 0, 1),
      nvrs: counts(0, 0, 1),
      cameras: counts(0, 0, 2),
    });
    expect(changes).toEqual([]);
  });

  it('leaves NVRs and locations to the API when the file no longer declares them', async () => {
    await apply(FILE);
    const declared = async () => [
      ...(await store.locations.list(DEFAULT_ORG_UUID)).map(({ fromConfig }) => fromConfig),
      ...(await store.nvrs.list(DEFAULT_ORG_UUID)).map(({ fromConfig }) => fromConfig),
    ];
    expect(await declared()).toEqual([true, true]);
    await apply('');
    expect(await declared()).toEqual([false, false]);
    changes.length = 0;
    await apply('');
    expect(changes).toEqual([]);
    await apply(FILE);
    expect(await declared()).toEqual([true, true]);
  });

  it('changes only one camera, even if only its password changed, and keeps its creation time', async () => {
    await apply(FILE);
    const uuid = deriveRuuid('camera', 'Lobby');
    const before = await store.cameras.find(DEFAULT_ORG_UUID, uuid);
    changes.length = 0;
    clock.advance(1_000);
    const summary = await apply(FILE.replace(':old@', ':new@'));
    expect(summary.cameras).toEqual(counts(0, 1, 1));
    expect(changes).toMatchObject([{ entity: 'camera', type: 'UPDATE', orgUuid: DEFAULT_ORG_UUID, uuid }]);
    const after = await store.cameras.find(DEFAULT_ORG_UUID, uuid);
    expect(after?.rtspUrl.credentials()?.password.reveal()).toBe('new');
    expect(after?.createdAtMs).toBe(before?.createdAtMs);
  });

  it('removes cameras that left the file, but no others', async () => {
    await apply(FILE);
    const made = sampleCamera(DEFAULT_ORG_UUID, { fromConfig: false });
    const other = sampleOrganization();
    const foreign = sampleCamera(other.uuid, { fromConfig: true });
    const share = sampleShare(DEFAULT_ORG_UUID, { cameraUuid: deriveRuuid('camera', 'Gate') });
    await store.organizations.save(other);
    for (const camera of [made, foreign]) await store.cameras.save(camera);
    await store.shares.save(share);
    const summary = await apply('cameras: [ { name: Lobby, rtsp: rtsp://192.0.2.1/main } ]');
    expect(summary).toEqual({ locations: counts(), nvrs: counts(), cameras: counts(0, 1, 0, 1) });
    expect((await store.cameras.list(DEFAULT_ORG_UUID)).map(({ uuid }) => uuid).sort()).toEqual(
      [deriveRuuid('camera', 'Lobby'), made.uuid].sort(),
    );
    expect(await store.cameras.list(other.uuid)).toEqual([foreign]);
    expect(await store.locations.list(DEFAULT_ORG_UUID)).toHaveLength(1);
    expect(await store.shares.list(DEFAULT_ORG_UUID)).toEqual([share]);
  });

  it('does not take over a uuid of another organization', async () => {
    const other = sampleOrganization();
    const camera = sampleCamera(other.uuid);
    await store.organizations.save(other);
    await store.cameras.save(camera);
    await expect(
      apply(`cameras: [ { name: A, uuid: ${camera.uuid}, rtsp: rtsp://h/ } ]`),
    ).rejects.toMatchObject({
      code: 'STORE_OTHER_ORG',
    });
    expect(await store.cameras.list(other.uuid)).toEqual([camera]);
  });
});
