/** Why a clip, a timelapse or an alert has no file: the sentence names that thing, and not a device. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TIMELAPSES } from '../../clips/timelapses.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SAVED_CLIPS, type SavedClipBody } from '../../events/saved-clips.ts';
import { FakePastMedia } from '../../playback/fake-past-media.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { Resource } from '../../store/resource.ts';
import { sampleApiKey, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { bySession, type DeviceDoor, openDeviceDoor } from '../device-door-fixture.ts';

const FOREIGN_TEXT = 'slc_key-of-elsewhere';
const UNKNOWN = 'There is no clip, timelapse or alert of a camera with this UUID.';
const NOT_THERE = 'This media does not exist, or no longer exists.';
const INCOMPLETE = 'This clip is not complete: it is still being made, or could not be made.';

let device: DeviceDoor;
let cameraUuid: Ruuid;

beforeEach(async () => {
  device = await openDeviceDoor({ pastMedia: new FakePastMedia() });
  cameraUuid = device.door.sharing.camera.uuid;
});
afterEach(() => device.door.close());

async function raise(deviceUuid = cameraUuid): Promise<Ruuid> {
  const { store, orgUuid } = device.door.sharing;
  const id = newRuuid();
  const alert = { orgUuid, kind: 'policyAlert', id, deviceUuid, atMs: FIXTURE_EPOCH_MS, body: {} } as const;
  await store.events.add([alert]);
  return id;
}

function recordOf<Body extends object>(body: Body): Resource<Body> {
  const { orgUuid } = device.door.sharing;
  const uuid = newRuuid();
  return {
    uuid,
    orgUuid,
    name: '',
    parentUuid: cameraUuid,
    secret: null,
    body,
    createdAtMs: FIXTURE_EPOCH_MS,
    updatedAtMs: FIXTURE_EPOCH_MS,
  };
}

async function saveClip(more: Partial<SavedClipBody> = {}): Promise<Ruuid> {
  const common = { reportedId: null, locationUuid: null, timestampMs: FIXTURE_EPOCH_MS };
  const clip = recordOf<SavedClipBody>({ ...common, deviceUuids: [`${cameraUuid}.v0`], ...more });
  await device.door.sharing.store.resources.of(SAVED_CLIPS).save(clip);
  return clip.uuid;
}

async function orderTimelapse(): Promise<Ruuid> {
  const times = { startMs: FIXTURE_EPOCH_MS, stopMs: FIXTURE_EPOCH_MS + 60_000, durationSec: 1 };
  const wanted = {
    title: null,
    description: null,
    skipsNights: false,
    skipsWeekends: false,
    devices: [cameraUuid],
  };
  const timelapse = recordOf({ ...times, ...wanted, status: 'INITIATED' as const });
  await device.door.sharing.store.resources.of(TIMELAPSES).save(timelapse);
  return timelapse.uuid;
}

/** Status and sentence of each path that names the file. */
async function responsesTo(name: string, headers: Readonly<Record<string, string>> = device.byKey) {
  const paths = [`local/${name}`, `${cameraUuid}/local/${name}`].map((path) => `/media/metadata/${path}`);
  const responses = await Promise.all(paths.map((path) => device.door.get(path, headers)));
  return responses.map((response) => [response.statusCode, response.json().errorMsg]);
}

const twice = (sentence: string) => Array(2).fill([404, expect.stringContaining(sentence)]);

describe('the file of an alert that has none yet', () => {
  it.each([
    ['jpeg', 'This alert has no image yet.'],
    ['mp4', 'This alert has no clip yet.'],
  ])('is a .%s that does not exist yet', async (extension, sentence) => {
    expect(await responsesTo(`${await raise()}.${extension}`)).toEqual(twice(sentence));
  });

  it('is unknown to those who may not see the camera', async () => {
    const { store } = device.door.sharing;
    const other = sampleOrganization();
    await store.organizations.save(other);
    await store.apiKeys.save(sampleApiKey(other.uuid, { keyHash: hashApiKey(FOREIGN_TEXT) }));
    const byOther = { ...device.byKey, 'x-auth-apikey': FOREIGN_TEXT };
    const alert = await raise();
    const [first] = await responsesTo(`${alert}.jpeg`, byOther);
    expect(first).toEqual([404, UNKNOWN]);
    const session = bySession(await device.sessionToken({ deviceUuid: cameraUuid }));
    const [ofOtherDevice] = await responsesTo(`${await raise(newRuuid())}.jpeg`, session);
    expect(ofOtherDevice).toEqual([404, UNKNOWN]);
    const [ofNothing] = await responsesTo(`${newRuuid()}.jpeg`, session);
    expect(ofNothing).toEqual(ofOtherDevice);
    expect((await responsesTo(`${alert}.jpeg`, session))[0]![1]).toContain('no image yet');
  });
});

describe('the file of a clip', () => {
  it('that is being made is not complete', async () => {
    for (const status of ['INITIATING', 'FAILED']) {
      expect(await responsesTo(`${await saveClip({ status })}.mp4`)).toEqual(twice(INCOMPLETE));
    }
    expect(await responsesTo(`${await orderTimelapse()}.mp4`)).toEqual(twice(INCOMPLETE));
  });

  it('that was only reported, or is private, does not exist', async () => {
    const allowed = { visibility: 'PRIVATE', allowedUsers: [newRuuid()] } as const;
    const secret = { status: 'INITIATING', userUuid: newRuuid(), accessSettings: allowed };
    for (const fields of [{}, secret]) {
      expect(await responsesTo(`${await saveClip(fields)}.mp4`)).toEqual(twice(NOT_THERE));
    }
  });

  it('without a clip, a timelapse or an alert names what is missing', async () => {
    for (const name of [`${newRuuid()}.mp4`, 'x.mp4', `${newRuuid()}.exe`]) {
      expect(await responsesTo(name)).toEqual([
        [404, UNKNOWN],
        [404, NOT_THERE],
      ]);
    }
  });
});
