import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { BRIEF_WAIT_MS, waitingBriefly, waitingBrieflyIf, withBriefWaits } from './brief-waits.ts';
import type { Share } from './entities.ts';
import { sampleCamera, sampleOrganization, sampleShare } from './sample-entities-fixture.ts';
import type { Store } from './store.ts';
import { openTestStore } from './test-store-fixture.ts';

let clock: FakeClock;
let below: Store;
let store: Store;
let share: Share;
/** Calls that have no answer, until they get one. */
let held: (() => void)[] | null;
let announced: string[];

beforeEach(async () => {
  clock = new FakeClock();
  [held, announced] = [null, []];
  below = await openTestStore(clock);
  const organization = sampleOrganization();
  await below.organizations.save(organization);
  const camera = sampleCamera(organization.uuid);
  await below.cameras.save(camera);
  share = sampleShare(organization.uuid, { cameraUuid: camera.uuid, scheduleUuid: null });
  await below.shares.save(share);
  below.onChange(({ entity, type }) => void announced.push(`${entity} ${type}`));
  const responding = async <T>(call: () => Promise<T>): Promise<T> => {
    if (held !== null) await new Promise<void>((resolve) => held?.push(resolve));
    return call();
  };
  const { shares } = below;
  store = withBriefWaits(
    {
      ...below,
      shares: Object.assign(Object.create(shares) as typeof shares, {
        find: (...given: Parameters<typeof shares.find>) => responding(() => shares.find(...given)),
        remove: (...given: Parameters<typeof shares.remove>) => responding(() => shares.remove(...given)),
        change: (...given: Parameters<typeof shares.change>) => responding(() => shares.change(...given)),
      }),
    },
    clock,
  );
});
afterEach(() => below.close());

const remove = () => store.shares.remove(share.orgUuid, share.uuid);
const removeBriefly = () => waitingBriefly(remove);

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (thrown: { readonly code: string }) => thrown.code,
  );
}

/** Ends what it is given, after the time that it may wait. */
async function givenUp(call: Promise<unknown>): Promise<string> {
  const code = codeOf(call);
  await eventually('the store has the call', () => held !== null && held.length > 0);
  clock.advance(BRIEF_WAIT_MS);
  return code;
}

async function answer(): Promise<void> {
  for (const goOn of held?.splice(0) ?? []) goOn();
  held = null;
  await eventually('the store answers', async () => {
    const find = () => store.shares.find(share.orgUuid, share.uuid);
    return (await codeOf(waitingBriefly(find))) === 'done';
  });
}

describe('a call that waits briefly', () => {
  it('has the answer of a store that answers, and leaves no timer', async () => {
    expect(await removeBriefly()).toBe(true);
    expect(await removeBriefly()).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails after two seconds if the store never answers', async () => {
    held = [];
    const call = codeOf(removeBriefly());
    await eventually('the store has the call', () => held?.length === 1);
    clock.advance(BRIEF_WAIT_MS - 1);
    expect(await Promise.race([call, below.ping()])).toBeUndefined();
    clock.advance(1);
    expect(await call).toBe('STORE_SILENT');
  });

  it('is done and announced once if the store answers later', async () => {
    held = [];
    expect(await givenUp(removeBriefly())).toBe('STORE_SILENT');
    await answer();
    await eventually('it is announced', () => announced.length > 0);
    expect(announced).toEqual(['share DELETE']);
    expect(await removeBriefly()).toBe(false);
    expect(announced).toHaveLength(1);
  });

  it('decides nothing after it was given up', async () => {
    held = [];
    let decided = 0;
    const rename = () =>
      store.shares.change(share.orgUuid, share.uuid, (known) => {
        decided += 1;
        return { ...known!, name: 'Late' };
      });
    expect(await givenUp(waitingBriefly(rename))).toBe('STORE_SILENT');
    await answer();
    expect(await store.shares.find(share.orgUuid, share.uuid)).toMatchObject({ name: share.name });
    expect([decided, announced]).toEqual([0, []]);
  });

  it('fails immediately while an earlier one has no answer, and then no longer', async () => {
    held = [];
    await givenUp(removeBriefly());
    const find = () => store.shares.find(share.orgUuid, share.uuid);
    expect(await codeOf(waitingBriefly(find))).toBe('STORE_SILENT');
    expect(held).toHaveLength(1);
    await answer();
    expect(await waitingBriefly(find)).toBeNull();
  });
});

it('other calls wait as long as the store needs', async () => {
  held = [];
  await givenUp(removeBriefly());
  const find = waitingBrieflyIf(false, () => store.shares.find(share.orgUuid, share.uuid));
  clock.advance(10 * BRIEF_WAIT_MS);
  await answer();
  expect(await find).toBeNull();
});
