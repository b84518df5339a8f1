/** How much one organization's uploads can take from another's recordings. */

import { expect, it } from 'vitest';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { ClipConverter } from './clip-import.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { openUploadFixture, type UploadFixture } from './upload-fixture.ts';
import { STEP_BYTES } from './upload-room.ts';

const MIN_FREE_BYTES = 1_000_000;
const HOUR_MS = 3_600_000;

/** An organization with a camera and five files of recordings, the first one at `startMs`. */
async function recordings({ store }: UploadFixture, orgUuid: Ruuid, cameraUuid: Ruuid, startMs: number) {
  await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
  await store.cameras.save(sampleCamera(orgUuid, { uuid: cameraUuid, locationUuid: null, nvrUuid: null }));
  const stream = { cameraUuid, rendition: 'main' } as const;
  for (let number = 0; number < 5; number++) {
    const at = startMs + number * HOUR_MS;
    const file = { ...stream, number, startMs: at, endMs: at + HOUR_MS, byteLength: 100_000 };
    await store.recordings.save({ ...file, segments: '{"v":1,"b":0,"r":[]}' });
  }
  return () => store.recordings.numbers(stream);
}

it('an upload without room is refused, and makes room of what its own organization recorded', async () => {
  const disk = new FakeDisk();
  const fixture = await openUploadFixture({}, { disk: () => disk, minFreeBytes: MIN_FREE_BYTES });
  const { uploader, cameraUuid, service, clock } = fixture;
  const nowMs = clock.epochMs();
  const evidence = await recordings(fixture, newRuuid(), newRuuid(), nowMs - 100 * HOUR_MS);
  const own = await recordings(fixture, uploader.orgUuid, cameraUuid, nowMs - 10 * HOUR_MS);
  fixture.recorder.start();
  await fixture.keeper.settled();
  // More than what the recorder leaves, less than what retention does.
  disk.roomBytes = MIN_FREE_BYTES - 1;
  const announce = () =>
    service.announce(uploader, fixture.claims(1_000)).then(
      () => null,
      (thrown) => toGatewayError(thrown).code,
    );
  expect(await announce()).toBe('UPLOAD_NO_ROOM');
  await fixture.keeper.settled();
  expect(await evidence()).toEqual([0, 1, 2, 3, 4]);
  expect((await own()).length).toBeLessThan(5);
  disk.roomBytes = 2 * MIN_FREE_BYTES;
  expect(await announce()).toBeNull();
});

it('a conversion without room makes some of what its own organization recorded', async () => {
  const disk = new FakeDisk();
  const converter: ClipConverter = {
    convert: async () => {
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_NO_ROOM, {});
    },
  };
  const storage = { disk: () => disk, minFreeBytes: MIN_FREE_BYTES, converter };
  const fixture = await openUploadFixture({}, storage);
  const { uploader, cameraUuid, clock } = fixture;
  const evidence = await recordings(fixture, newRuuid(), newRuuid(), clock.epochMs() - 100 * HOUR_MS);
  const own = await recordings(fixture, uploader.orgUuid, cameraUuid, clock.epochMs() - 10 * HOUR_MS);
  fixture.recorder.start();
  await fixture.keeper.settled();
  // A conversion looks a step ahead.
  disk.roomBytes = MIN_FREE_BYTES + STEP_BYTES;
  await expect(fixture.handOver(Buffer.from('GIF89a'.repeat(100)))).rejects.toMatchObject({
    code: 'UPLOAD_NO_ROOM',
  });
  await fixture.keeper.settled();
  expect(await evidence()).toEqual([0, 1, 2, 3, 4]);
  expect(await own()).toEqual([1, 2, 3, 4]);
  await fixture.service.close();
});
