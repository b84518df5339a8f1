import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SAVED_CLIPS, type SavedClip } from '../events/saved-clips.ts';
import { noteRemovedMasks } from '../store/removed-masks.ts';
import type { ResourceKind, ResourceRepository, ResourceStore } from '../store/resource.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { CLIP_FILES, CLIP_JOBS, type ClipFile, type ClipJob } from './clip-records.ts';
import { SharedClips } from './shared-clips.ts';

const ORG_UUID = newRuuid();
const COMMON = {
  orgUuid: ORG_UUID,
  name: '',
  parentUuid: null,
  secret: null,
  createdAtMs: 1,
  updatedAtMs: 1,
};

const MASK = {
  name: '',
  points: [
    { xPermyriad: 0, yPermyriad: 0 },
    { xPermyriad: 9, yPermyriad: 0 },
    { xPermyriad: 0, yPermyriad: 9 },
  ],
};

let store: Store;
let shared: SharedClips;
beforeEach(async () => {
  store = await openTestStore(new FakeClock());
  await store.organizations.save({ ...sampleOrganization(), uuid: ORG_UUID });
  shared = new SharedClips(store);
});
afterEach(() => store.close());

function clipOf(uuid: Ruuid, status: string, updatedAtMs = 1): SavedClip {
  return {
    ...COMMON,
    uuid,
    updatedAtMs,
    body: { reportedId: null, deviceUuids: [], locationUuid: null, timestampMs: 1_000, status },
  };
}

function jobOf(uuid: Ruuid, failureCode: string | null): ClipJob {
  return { ...COMMON, uuid, body: { devices: [], fromMs: 0, toMs: 1, hasAudio: true, failureCode } };
}

function fileOf(clipUuid: Ruuid): ClipFile {
  const cameraUuid = newRuuid();
  return {
    ...COMMON,
    uuid: newRuuid(),
    parentUuid: clipUuid,
    body: {
      device: cameraUuid,
      cameraUuid,
      name: 'clips/a/b.mp4',
      byteLength: 1,
      sha256Hex: '',
      image: null,
      durationMs: 1,
      startEpochMs: 0,
      endEpochMs: 1,
      widthPx: 1,
      heightPx: 1,
    },
  };
}

describe('a clip as its viewers see it', () => {
  it.each([
    ['INITIATING', null, 'making'],
    ['INITIATING', 'RANGE_EMPTY', 'failed'],
    ['FAILED', 'RANGE_EMPTY', 'failed'],
    ['INITIATING', 'no job', 'failed'],
    ['COMPLETE', 'no job', 'failed'],
  ])('with the status %s and the job %s is %s', async (status, job, state) => {
    const uuid = newRuuid();
    await store.resources.of(SAVED_CLIPS).save(clipOf(uuid, status));
    if (job !== 'no job') await store.resources.of(CLIP_JOBS).save(jobOf(uuid, job));
    expect(await shared.find(ORG_UUID, uuid, false)).toMatchObject({ state, files: [] });
    expect(await shared.find(newRuuid(), uuid, false)).toBeNull();
  });

  it('is ready with its files, those of cameras that were removed too', async () => {
    const uuid = newRuuid();
    await store.resources.of(SAVED_CLIPS).save(clipOf(uuid, 'COMPLETE'));
    await store.resources.of(CLIP_FILES).save(fileOf(uuid));
    expect(await shared.find(ORG_UUID, uuid, false)).toMatchObject({
      state: 'ready',
      files: [{ label: '', extension: 'mp4', image: null }],
    });
  });

  it('names the masks that a file needs, unless the link shows what they cover', async () => {
    const uuid = newRuuid();
    await store.resources.of(SAVED_CLIPS).save(clipOf(uuid, 'COMPLETE'));
    const [whole, masked] = [fileOf(uuid), fileOf(uuid)];
    for (const file of [whole, masked]) await store.resources.of(CLIP_FILES).save(file);
    const camera = sampleCamera(ORG_UUID, {
      uuid: masked.body.cameraUuid,
      locationUuid: null,
      nvrUuid: null,
    });
    await store.cameras.save({ ...camera, masks: [MASK] });
    const filesFor = async (showsUnmasked: boolean) => {
      const found = await shared.find(ORG_UUID, uuid, showsUnmasked);
      return [found!.state, new Map(found!.files.map((file) => [file.uuid, file.masks]))];
    };
    const [first, second] = [whole.body.cameraUuid, masked.body.cameraUuid];
    const unmasked = new Map([
      [first, null],
      [second, null],
    ]);
    expect(await filesFor(false)).toEqual(['ready', new Map([...unmasked, [second, [MASK]]])]);
    expect(await filesFor(true)).toEqual(['ready', unmasked]);
  });

  it('withholds files of cameras that had masks when they were removed', async () => {
    const uuid = newRuuid();
    await store.resources.of(SAVED_CLIPS).save(clipOf(uuid, 'COMPLETE'));
    const file = fileOf(uuid);
    await store.resources.of(CLIP_FILES).save(file);
    const masks = [MASK];
    await noteRemovedMasks(store, { uuid: file.body.cameraUuid, orgUuid: ORG_UUID, masks }, new FakeClock());
    expect(await shared.find(ORG_UUID, uuid, false)).toMatchObject({ state: 'withheld', files: [] });
    expect(await shared.find(ORG_UUID, uuid, true)).toMatchObject({
      state: 'ready',
      files: [{ masks: null }],
    });
  });

  it('has not failed because it was completed between two reads', async () => {
    const uuid = newRuuid();
    const clips = store.resources.of(SAVED_CLIPS);
    await clips.save(clipOf(uuid, 'INITIATING'));
    // The job is asked for: it has just been completed.
    const complete = async () => {
      await store.resources.of(CLIP_FILES).save(fileOf(uuid));
      await clips.save(clipOf(uuid, 'COMPLETE', 2));
      return null;
    };
    const resources: ResourceStore = {
      of<Body extends object>(kind: ResourceKind<Body>): ResourceRepository<Body> {
        const repository = store.resources.of(kind);
        return kind.name === CLIP_JOBS.name ? Object.assign(repository, { find: complete }) : repository;
      },
    };
    const found = await new SharedClips({ ...store, resources }).find(ORG_UUID, uuid, false);
    expect(found).toMatchObject({ state: 'ready', files: [{ name: 'clips/a/b.mp4' }] });
  });
});
