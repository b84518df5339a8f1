import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { StoredEvent } from '../store/event.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { type EventEffect, EventEffects } from './event-effects.ts';

let clock: FakeClock;
let store: Store;
let orgUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  const organization = sampleOrganization();
  await store.organizations.save(organization);
  orgUuid = organization.uuid;
});
afterEach(() => store.close());

const effectsOf = (...effects: EventEffect[]) => new EventEffects({ store, effects, clock, log: silentLog });

const alert = (id: string): StoredEvent => ({
  orgUuid,
  kind: 'policyAlert',
  id,
  deviceUuid: newRuuid(),
  atMs: 1,
  body: {},
});

describe('EventEffects', () => {
  it('passes every event to every effect, including those that effects cause', async () => {
    const met: string[] = [];
    const effects = effectsOf(
      async (events) => void met.push(...events.map(({ id }) => `first ${id}`)),
      async (events) => {
        met.push(...events.map(({ id }) => `second ${id}`));
        if (events.some(({ id }) => id === 'a')) await store.events.add([alert('b')]);
      },
    );
    await store.events.add([alert('a')]);
    await effects.settled();
    expect(met).toEqual(['first a', 'second a', 'first b', 'second b']);
    expect(await store.events.unfinished(1)).toEqual([]);
    await effects.close();
  });

  it('takes organizations in turn, however many events of one there are and whenever they say that they were', async () => {
    const other = sampleOrganization();
    await store.organizations.save(other);
    const held = Promise.withResolvers<void>();
    const met: string[] = [];
    const effects = effectsOf(async (events) => {
      met.push(...events.map((event) => (event.orgUuid === other.uuid ? 'own' : 'greedy')));
      await held.promise;
    });
    const greedy = Array.from({ length: 900 }, (_, index) => ({ ...alert(`greedy ${index}`), atMs: 1 }));
    await store.events.add(greedy);
    await eventually('the first ones', () => met.length > 0);
    await store.events.add(greedy.map((event) => ({ ...event, id: `more ${event.id}` })));
    await store.events.add([{ ...alert('own'), orgUuid: other.uuid, atMs: 2 }]);
    held.resolve();
    await effects.settled();
    expect(met).toHaveLength(1_801);
    // After the work in progress, and one turn of the other organization at most.
    expect(met.indexOf('own')).toBeLessThanOrEqual(200);
    await effects.close();
  });

  it('ends a turn when its time is over, so slow effects of one organization do not hold up another one', async () => {
    const other = sampleOrganization();
    await store.organizations.save(other);
    const met: string[] = [];
    const batches: string[][] = [];
    let ownAtMs = 0;
    const effects = effectsOf(
      async (events, isTurnOver) => {
        for (const [index, { id }] of events.entries()) {
          if (index > 0 && isTurnOver()) return index;
          met.push(id);
          clock.advance(id === 'own' ? 1 : 20);
          if (id === 'own') ownAtMs = clock.epochMs();
          // It comes in the middle of a turn.
          if (met.length === 5) await store.events.add([{ ...alert('own'), orgUuid: other.uuid }]);
        }
        return events.length;
      },
      async (events) => void batches.push(events.map(({ id }) => id)),
    );
    const startMs = clock.epochMs();
    const greedy = Array.from({ length: 50 }, (_, index) => alert(`greedy ${index}`));
    await store.events.add(greedy);
    await effects.settled();
    expect(met.toSorted()).toEqual([...greedy.map(({ id }) => id), 'own'].toSorted());
    // Other effects get the events that the first one got to, as a batch.
    expect(batches.flat()).toEqual(met);
    expect(batches.slice(0, 2).map((batch) => batch.length)).toEqual([3, 3]);
    expect(ownAtMs - startMs).toBeLessThanOrEqual(2 * (50 + 20) + 1);
    expect(await store.events.unfinished(1)).toEqual([]);
    await effects.close();
  });

  it('takes credentials of an organization in turn, so a flood of one delays no alarm of another one', async () => {
    const [flooding, quiet] = [newRuuid(), newRuuid()].toSorted();
    const held = Promise.withResolvers<void>();
    const met: string[] = [];
    const effects = effectsOf(async (events) => {
      met.push(...events.map(({ id }) => id));
      await held.promise;
    });
    const flood = Array.from({ length: 900 }, (_, index) => ({
      ...alert(`flood ${index}`),
      reporterUuid: flooding!,
    }));
    await store.events.add(flood);
    await eventually('the first ones', () => met.length > 0);
    const more = [quiet!, flooding!].map((reporterUuid) => ({
      ...alert(`late of ${reporterUuid}`),
      atMs: 2,
      reporterUuid,
    }));
    await store.events.add(more);
    held.resolve();
    await effects.settled();
    expect(met).toHaveLength(902);
    expect(met.indexOf(`late of ${quiet}`)).toBeLessThanOrEqual(200);
    expect(met.indexOf(`late of ${flooding}`)).toBe(901);
    await effects.close();
  });

  it('tries again after a failure', async () => {
    let tries = 0;
    const effects = effectsOf(async () => {
      tries += 1;
      if (tries === 1) throw new Error('the store is busy');
    });
    await store.events.add([alert('a')]);
    await effects.settled();
    expect(await store.events.unfinished(1)).toHaveLength(1);
    clock.advance(5_000);
    await effects.settled();
    expect(tries).toBe(2);
    expect(await store.events.unfinished(1)).toEqual([]);
    await effects.close();
  });

  it('serves other organizations while the effects of one fail', async () => {
    const other = sampleOrganization();
    await store.organizations.save(other);
    const met: string[] = [];
    const effects = effectsOf(async (events) => {
      if (events[0]!.orgUuid === orgUuid) throw new Error('its webhook host is busy');
      met.push(...events.map(({ id }) => id));
    });
    await store.events.add([alert('failing')]);
    await store.events.add([{ ...alert('own'), orgUuid: other.uuid }]);
    await effects.settled();
    expect(met).toEqual(['own']);
    expect((await store.events.unfinished(5)).map(({ id }) => id)).toEqual(['failing']);
    await effects.close();
  });

  it('leaves what it cannot finish before it ends to the next start', async () => {
    const ending = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const effects = effectsOf(async () => {
      began.resolve();
      await ending.promise;
      throw new Error('cut short');
    });
    await store.events.add([alert('a')]);
    await began.promise;
    const closed = effects.close();
    ending.resolve();
    await closed;
    const met: string[] = [];
    const next = effectsOf(async (events) => void met.push(...events.map(({ id }) => id)));
    next.wake();
    await next.settled();
    expect(met).toEqual(['a']);
    await next.close();
  });
});
