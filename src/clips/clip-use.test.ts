import { afterEach, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { CLIP_FILES, type ClipFileBody } from './clip-records.ts';
import { ClipUse, KNOWN_FOR_MS } from './clip-use.ts';

let store: Store;
afterEach(() => store.close());

it('adds up the files of each organization, and their images, from time to time', async () => {
  const clock = new FakeClock();
  store = await openTestStore(clock);
  const organizations = [sampleOrganization(), sampleOrganization(), sampleOrganization()];
  for (const organization of organizations) await store.organizations.save(organization);
  const [many, one] = organizations.map(({ uuid }) => uuid);
  const files = store.resources.of(CLIP_FILES);
  const file = (orgUuid: Ruuid, imageBytes: number | null) => ({
    uuid: newRuuid(),
    orgUuid,
    name: '',
    parentUuid: newRuuid(),
    secret: null,
    body: {
      byteLength: 1_000,
      image: imageBytes === null ? null : { byteLength: imageBytes },
    } as ClipFileBody,
    createdAtMs: 1,
    updatedAtMs: 1,
  });
  await files.saveAll(Array.from({ length: 130 }, () => file(many!, null)));
  await files.save(file(one!, 50));
  const use = new ClipUse(store, clock);
  const expected = new Map([
    [many!, 130_000],
    [one!, 1_050],
  ]);
  expect(await use.bytes()).toEqual(expected);
  await files.save(file(one!, null));
  expect(await use.bytes()).toEqual(expected);
  clock.advance(KNOWN_FOR_MS);
  expect((await use.bytes()).get(one!)).toBe(2_050);
});
