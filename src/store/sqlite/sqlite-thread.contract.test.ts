import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { describeChangesBetweenStores } from '../change-contract.ts';
import { openSqliteThread, openStore } from '../open-store.ts';
import { sampleCamera, sampleOrganization } from '../sample-entities-fixture.ts';
import type { Store } from '../store.ts';
import { describeStoreContract } from '../store-contract.ts';
import type { SqliteThread } from './sqlite-thread.ts';

const clock = new FakeClock();
const organization = sampleOrganization();

let thread: SqliteThread;
let store: Store;
let other: Store;

function open(of: SqliteThread): Promise<Store> {
  const { path } = of;
  return openStore({ kind: 'sqlite-port', path, port: of.connect(), fieldKey: Buffer.alloc(32, 7), clock });
}

describeStoreContract('SQLite next to another store', async () => {
  const shared = await openSqliteThread({ path: ':memory:', clock });
  const first = await open(shared);
  const second = await open(shared);
  return {
    ...second,
    async close() {
      await second.close();
      await first.close();
      await shared.close();
    },
  };
});

describeChangesBetweenStores('SQLite, one thread', async () => {
  const shared = await openSqliteThread({ path: ':memory:', clock });
  const first = await open(shared);
  const close = async () => {
    await first.close();
    await shared.close();
  };
  return [{ ...first, close }, await open(shared)];
});

describe('stores over one thread', () => {
  beforeEach(async () => {
    thread = await openSqliteThread({ path: ':memory:', clock });
    [store, other] = [await open(thread), await open(thread)];
    await store.organizations.save(organization);
  });
  afterEach(() => thread.close());

  it('share the rows, and each reports only its own changes', async () => {
    const told: string[] = [];
    store.onChange(({ uuid }) => told.push(`store ${uuid}`));
    other.onChange(({ uuid }) => told.push(`other ${uuid}`));
    const camera = sampleCamera(organization.uuid, { nvrUuid: null, locationUuid: null });
    await other.cameras.save(camera);
    expect(await store.cameras.find(organization.uuid, camera.uuid)).toEqual(camera);
    expect(told).toEqual([`other ${camera.uuid}`]);
  });

  it('are independent of each other', async () => {
    await store.close();
    await expect(store.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(await other.organizations.find(organization.uuid)).toEqual(organization);
  });

  it('fail if the thread has ended, and can still be closed', async () => {
    await thread.close();
    await expect.poll(() => store.ping().catch(({ code }) => code)).toBe('STORE_WORKER_FAILED');
    await store.close();
    await other.close();
  });
});
