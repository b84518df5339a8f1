import { expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { LeaseRepository } from '../store/lease.ts';
import { HOLDS } from '../store/recording-hold.ts';
import type { ResourceStore } from '../store/resource.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { abandonedJobs } from './abandoned-clips.ts';
import { CLIP_FILES, type ClipJob } from './clip-records.ts';
import { ClipRetention, clipsToDelete, type KeptClip, SWEEP_SOON_MS } from './clip-retention.ts';

const NOW_MS = 1_000_000;

function clip(ageMs: number, byteLength: number): KeptClip {
  return { orgUuid: newRuuid(), clipUuid: newRuuid(), madeAtMs: NOW_MS - ageMs, byteLength, alertUuid: null };
}

it('deletes clips that are too old, and the oldest of those that are too much', () => {
  const [young, middle, old, ancient] = [clip(1, 10), clip(50, 10), clip(100, 10), clip(101, 10)];
  const all = [middle!, ancient!, young!, old!];
  const gone = (keepMs: number, maxBytes: number | null) => clipsToDelete(all, { keepMs, maxBytes }, NOW_MS);
  expect(gone(1_000, null)).toEqual([]);
  expect(gone(100, null)).toEqual([ancient]);
  expect(gone(1_000, 40)).toEqual([]);
  expect(gone(1_000, 39)).toEqual([ancient]);
  expect(gone(100, 20)).toEqual([ancient, old]);
  expect(gone(1_000, 0)).toEqual([ancient, old, middle, young]);
});

it('deletes no clip of an organization because another one has more', () => {
  const [modest, greedy] = [newRuuid(), newRuuid()];
  const evidence = [300, 200].map((ageMs) => ({ ...clip(ageMs, 10), orgUuid: modest }));
  const flood = [5, 4, 3, 2].map((ageMs) => ({ ...clip(ageMs, 10), orgUuid: greedy }));
  const gone = (maxBytes: number) =>
    clipsToDelete([...evidence, ...flood], { keepMs: 1_000, maxBytes }, NOW_MS);
  expect(gone(40)).toEqual(flood.slice(0, 2));
  expect(gone(30)).toEqual([...flood.slice(0, 2), evidence[0]]);
});

it('looks at one gateway at a time, and at the other one later', async () => {
  const clock = new FakeClock(NOW_MS);
  let owner: string | null = null;
  const leases = {
    isShared: true,
    take: async (name: string, by: string) => {
      if (owner !== null && owner !== by) return null;
      owner = by;
      return { name, owner: by, fence: 1 };
    },
    keep: async () => true,
    release: async () => {
      owner = null;
      return true;
    },
  } as unknown as LeaseRepository;
  const { promise: read, resolve: finishReading } = Promise.withResolvers<[]>();
  const looks: string[] = [];
  const retentionOf = (gateway: string) =>
    new ClipRetention({
      leases,
      clock,
      log: silentLog,
      remove: async () => undefined,
      limits: { keepMs: 1, maxBytes: null },
      alertLimits: { keepMs: 1, maxBytes: null },
      resources: {
        of: ({ name }: { readonly name: string }) => ({
          listEverywhere: () => {
            if (name === 'clipFile') looks.push(gateway);
            return name === 'clipFile' ? read : Promise.resolve([]);
          },
        }),
      } as unknown as ResourceStore,
    });
  const [first, second] = [retentionOf('first'), retentionOf('second')];
  first.begin();
  second.begin();
  await eventuallyEqual(() => looks, ['first']);
  finishReading([]);
  await eventuallyEqual(() => owner, null);
  expect(looks).toEqual(['first']);
  await clock.advance(SWEEP_SOON_MS);
  await eventuallyEqual(() => looks, ['first', 'second']);
  await Promise.all([first.close(), second.close()]);
});

it('leaves jobs alone that another gateway has just stored, and whose clip may follow', async () => {
  const job = (createdAtMs: number) =>
    ({ orgUuid: newRuuid(), uuid: newRuuid(), createdAtMs, body: {} }) as unknown as ClipJob;
  const [old, recent] = [job(NOW_MS - 1), job(NOW_MS)];
  const found = await abandonedJobs([old!, recent!], async () => false, NOW_MS);
  expect(found).toEqual([{ orgUuid: old!.orgUuid, clipUuid: old!.uuid }]);
});

it('deletes no held clip, and takes others for the room that it needs', async () => {
  const clock = new FakeClock(NOW_MS);
  const store = await openTestStore(clock);
  const orgUuid = newRuuid();
  await store.organizations.save(sampleOrganization({ uuid: orgUuid }));
  const rows = { orgUuid, name: '', secret: null, createdAtMs: 1, updatedAtMs: 1 };
  const clips = [newRuuid(), newRuuid(), newRuuid()];
  for (const clipUuid of clips) {
    const body = { byteLength: 10, image: null } as never;
    await store.resources.of(CLIP_FILES).save({ ...rows, uuid: newRuuid(), parentUuid: clipUuid, body });
  }
  const [held] = clips;
  const hold = { clipUuid: held!, cameraUuid: null, startMs: null, endMs: null, reason: 'Theft' };
  const body = { ...hold, heldBy: 'Ada', untilMs: null, caseUuid: null };
  await store.resources.of(HOLDS).save({ ...rows, uuid: newRuuid(), parentUuid: held!, body });
  const gone: string[] = [];
  const retention = new ClipRetention({
    leases: store.leases,
    resources: store.resources,
    clock,
    log: silentLog,
    remove: async ({ clipUuid }) => void gone.push(clipUuid),
    limits: { keepMs: 1, maxBytes: null },
    alertLimits: { keepMs: 1, maxBytes: null },
  });
  await retention.makeRoom(orgUuid, 100);
  expect(gone.toSorted()).toEqual(clips.slice(1).toSorted());
  gone.length = 0;
  await retention.sweep({ lost: new AbortController().signal });
  expect(gone.toSorted()).toEqual(clips.slice(1).toSorted());
});
