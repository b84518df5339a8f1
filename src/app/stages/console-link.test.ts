import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConsoleCodes } from '../../accounts/console-codes.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { sampleOrganization, samplePerson } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { firstConsoleLink, newConsoleLink } from './console-link.ts';

let clock: FakeClock;
let store: Store;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  await store.organizations.save(sampleOrganization({ uuid: DEFAULT_ORG_UUID }));
});
afterEach(() => store.close());

const parts = (apiUrl: string) => ({ store, clock, apiUrl });
const redeem = (link: string) => new ConsoleCodes({ store, clock }).redeem(link.split('#code=')[1]!);

it('is there as long as there are no people, with a new code each time', async () => {
  const first = (await firstConsoleLink(parts('https://api.example/base/')))!.reveal();
  expect(first).toMatch(/^https:\/\/api\.example\/base\/console\/#code=slk_[\w-]{43}$/);
  const second = (await firstConsoleLink(parts('https://api.example')))!.reveal();
  // That of the last start still works.
  expect(await redeem(first)).toMatchObject({
    name: 'Administrator',
    role: 'admin',
    orgUuid: DEFAULT_ORG_UUID,
  });
  expect(await firstConsoleLink(parts('https://api.example'))).toBeNull();
  expect((await redeem(second))?.name).toBe('Administrator');
  expect(await store.people.list(DEFAULT_ORG_UUID)).toHaveLength(1);
});

it('can be for one person', async () => {
  const ada = samplePerson(DEFAULT_ORG_UUID, { role: 'viewer' });
  await store.people.save(ada);
  const link = await newConsoleLink(parts('http://localhost:8080'), ada.uuid);
  expect(String(link)).toBe('[secret]');
  expect(await redeem(link.reveal())).toEqual(ada);
  expect(await redeem(link.reveal())).toBeNull();
});
