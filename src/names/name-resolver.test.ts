import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import {
  FAILURE_KEPT_MS,
  NAME_DEADLINE_MS,
  NameError,
  NameResolver,
  OTHER_FAMILY_MS,
  type QueryAddresses,
} from './name-resolver.ts';

/** By name and family: addresses, a failure, or silence. */
type Zone = Record<string, readonly string[] | 'silent' | 'refused'>;

let clock: FakeClock;
let zone: Zone;
let requested: string[];
let localResponses: ((addresses: readonly { address: string; family: 4 }[]) => void)[];
let resolver: NameResolver;

beforeEach(() => {
  clock = new FakeClock();
  zone = {};
  requested = [];
  localResponses = [];
  const query: QueryAddresses = (name, family) => {
    requested.push(`${name} ${family}`);
    const answer = zone[`${name} ${family}`] ?? [];
    if (answer === 'silent') return new Promise(() => undefined);
    if (answer === 'refused') return Promise.reject(new NameError('EREFUSED'));
    if (answer.length === 0) return Promise.reject(new NameError('ENOTFOUND'));
    return Promise.resolve(answer.map((address) => ({ address, ttlSec: 10 })));
  };
  resolver = new NameResolver({
    clock,
    query,
    readLocalNames: async () => ({
      hosts: new Map([['recorder', ['2001:db8::5', '192.0.2.5']]]),
      search: { domains: ['site.example'], dots: 1 },
    }),
    lookUpLocally: () => new Promise((resolve) => localResponses.push(resolve)),
  });
});

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The state of a lookup so far. */
function outcomeOf(lookup: Promise<unknown>) {
  const outcome: { value?: unknown; code?: string } = {};
  lookup.then(
    (value) => (outcome.value = value),
    (error: NameError) => (outcome.code = error.code),
  );
  return outcome;
}

const V4 = { address: '192.0.2.1', family: 4 };
const V6 = { address: '2001:db8::1', family: 6 };

describe('addresses of a name', () => {
  it('are those of both families, IPv4 first', async () => {
    zone = { 'gate.example 4': ['192.0.2.1'], 'gate.example 6': ['2001:db8::1'] };
    expect(await resolver.addressesOf('Gate.example', 'one')).toEqual([V4, V6]);
  });

  it('do not wait long for the other family', async () => {
    zone = { 'gate.example 4': ['192.0.2.1'], 'gate.example 6': 'silent' };
    const outcome = outcomeOf(resolver.addressesOf('gate.example', 'one'));
    await settled();
    expect(outcome).toEqual({});
    clock.advance(OTHER_FAMILY_MS);
    await settled();
    expect(outcome).toEqual({ value: [V4] });
  });

  it('come from hosts(5) before anyone is asked', async () => {
    expect(await resolver.addressesOf('recorder', 'one')).toEqual([
      { address: '192.0.2.5', family: 4 },
      { address: '2001:db8::5', family: 6 },
    ]);
    expect(requested).toEqual([]);
  });

  it('are those of the loopback for localhost', async () => {
    expect((await resolver.addressesOf('cam.localhost', 'one')).map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '::1',
    ]);
  });

  it('follow the search list', async () => {
    zone = { 'gate.site.example 4': ['192.0.2.1'] };
    expect(await resolver.addressesOf('gate', 'one')).toEqual([V4]);
    expect(requested).toEqual(['gate.site.example 4', 'gate.site.example 6']);
  });

  it('are remembered as long as their record says', async () => {
    zone = { 'gate.example 4': ['192.0.2.1'] };
    await resolver.addressesOf('gate.example', 'one');
    clock.advance(9_999);
    await resolver.addressesOf('gate.example', 'one');
    expect(requested.length).toBe(2);
    clock.advance(1);
    await resolver.addressesOf('gate.example', 'one');
    expect(requested.length).toBe(4);
  });
});

describe('a name without an address', () => {
  it('fails, and is asked for again a little later', async () => {
    await expect(resolver.addressesOf('none.example', 'one')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const before = requested.length;
    await expect(resolver.addressesOf('none.example', 'one')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(requested.length).toBe(before);
    zone = { 'none.example 4': ['192.0.2.1'] };
    clock.advance(FAILURE_KEPT_MS);
    expect(await resolver.addressesOf('none.example', 'one')).toEqual([V4]);
  });

  it('fails with what the name server said', async () => {
    zone = { 'gate.example 4': 'refused' };
    await expect(resolver.addressesOf('gate.example', 'one')).rejects.toMatchObject({ code: 'EREFUSED' });
    expect(requested).toEqual(['gate.example 4', 'gate.example 6']);
  });

  it('fails at its deadline if its name server is silent, however many ask, and delays no other name', async () => {
    zone = { 'mute.example 4': 'silent', 'mute.example 6': 'silent', 'gate.example 4': ['192.0.2.1'] };
    const outcomes = Array.from({ length: 20 }, () => outcomeOf(resolver.addressesOf('mute.example', 'one')));
    expect(await resolver.addressesOf('gate.example', 'one')).toEqual([V4]);
    expect(requested.filter((each) => each.startsWith('mute')).length).toBe(2);
    clock.advance(NAME_DEADLINE_MS);
    await settled();
    expect(outcomes).toEqual(Array(20).fill({ code: 'ETIMEOUT' }));
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('an organization', () => {
  it('whose names have silent servers leaves room for lookups of others', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `mute-${index}.example`);
    zone = { 'gate.example 4': ['192.0.2.1'] };
    for (const name of names) {
      zone[`${name} 4`] = 'silent';
      zone[`${name} 6`] = 'silent';
    }
    const outcomes = names.map((name) => outcomeOf(resolver.addressesOf(name, 'greedy')));
    await settled();
    expect(outcomes.filter(({ code }) => code === 'TOO_MANY_LOOKUPS').length).toBe(
      names.length - LIMITS.nameLookups.total / 2,
    );
    expect(await resolver.addressesOf('gate.example', 'modest')).toEqual([V4]);
    clock.advance(NAME_DEADLINE_MS);
    await settled();
    expect(await resolver.addressesOf('gate.example', 'greedy')).toEqual([V4]);
  });

  it('with many names of .local waits behind its own', async () => {
    const greedy = Array.from({ length: 8 }, (_, index) =>
      outcomeOf(resolver.addressesOf(`cam-${index}.local`, 'greedy')),
    );
    const modest = outcomeOf(resolver.addressesOf('gate.local', 'modest'));
    for (let turn = 0; turn < 3; turn++) {
      await settled();
      localResponses.at(-1)!([{ address: '192.0.2.1', family: 4 }]);
    }
    await settled();
    expect(modest).toEqual({ value: [V4] });
    expect(greedy.filter(({ value }) => value !== undefined).length).toBe(2);
  });
});

describe('a name of .local', () => {
  it('is looked up by the system, one at a time', async () => {
    const outcomes = ['a.local', 'b.local'].map((name) => outcomeOf(resolver.addressesOf(name, 'one')));
    await settled();
    expect(localResponses.length).toBe(1);
    localResponses[0]!([{ address: '192.0.2.1', family: 4 }]);
    await settled();
    expect(localResponses.length).toBe(2);
    expect(outcomes).toEqual([{ value: [V4] }, {}]);
    expect(requested).toEqual([]);
  });
});
