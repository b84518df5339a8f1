import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { MANUAL_RECORDINGS } from '../store/manual-recording.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { ManualRecordingEnds, ManualRecordings } from './manual-recordings.ts';
import { MAX_MANUAL_MS } from './recording-rule.ts';

const BASE_MS = Date.UTC(2026, 0, 1);
const TEN_MINUTES_MS = 600_000;

let clock: FakeClock;
let store: Store;
let recordings: ManualRecordings;
let orgUuid: Ruuid;
let foreignUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock(BASE_MS);
  store = await openTestStore(clock);
  onTestFinished(() => store.close());
  [orgUuid, foreignUuid] = [newRuuid(), newRuuid()];
  for (const uuid of [orgUuid, foreignUuid]) await store.organizations.save(sampleOrganization({ uuid }));
  recordings = new ManualRecordings({ store, clock });
});

function camera(of = orgUuid) {
  return { orgUuid: of, uuid: newRuuid(), name: 'Gate' };
}

function follow(): ManualRecordingEnds {
  const ends = new ManualRecordingEnds({ store, clock, log: silentLog });
  onTestFinished(() => ends.close());
  return ends;
}

const count = (of = orgUuid) => store.resources.of(MANUAL_RECORDINGS).count(of);

describe('ManualRecordings', () => {
  it('ends after its time, and stays with the organization that started it', async () => {
    const gate = camera();
    const started = await recordings.start(gate, TEN_MINUTES_MS, 'Ada');
    expect(started).toEqual({ startedAtMs: BASE_MS, endsAtMs: BASE_MS + TEN_MINUTES_MS, startedBy: 'Ada' });
    expect(await recordings.find(orgUuid, gate.uuid)).toEqual(started);
    expect(await recordings.find(foreignUuid, gate.uuid)).toBeNull();
    await recordings.stop(foreignUuid, gate.uuid);
    clock.advance(TEN_MINUTES_MS - 1);
    expect(await recordings.find(orgUuid, gate.uuid)).toEqual(started);
    clock.advance(1);
    expect(await recordings.find(orgUuid, gate.uuid)).toBeNull();
  });

  it('is extended and never shortened by a second start, and keeps who started it', async () => {
    const gate = camera();
    await recordings.start(gate, TEN_MINUTES_MS, 'Ada');
    clock.advance(60_000);
    const extended = await recordings.start(gate, TEN_MINUTES_MS, 'Grace');
    const endsAtMs = BASE_MS + 60_000 + TEN_MINUTES_MS;
    expect(extended).toEqual({ startedAtMs: BASE_MS, endsAtMs, startedBy: 'Ada' });
    expect(await recordings.start(gate, 10_000, 'Grace')).toEqual(extended);
    const far = await recordings.start(gate, 10 * MAX_MANUAL_MS, 'Grace');
    expect(far.endsAtMs).toBe(clock.epochMs() + MAX_MANUAL_MS);
    await recordings.stop(orgUuid, gate.uuid);
    await recordings.stop(orgUuid, gate.uuid);
    expect(await recordings.find(orgUuid, gate.uuid)).toBeNull();
    const again = await recordings.start(gate, TEN_MINUTES_MS, 'Grace');
    expect(again).toMatchObject({ startedAtMs: clock.epochMs(), startedBy: 'Grace' });
  });

  it('is one when two people start it at the same time', async () => {
    const gate = camera();
    const both = await Promise.all(
      ['Ada', 'Grace'].map((name) => recordings.start(gate, TEN_MINUTES_MS, name)),
    );
    expect(both[0]).toEqual(both[1]);
    expect(await count()).toBe(1);
  });

  it('refuses one more than an organization can have, and no other organization’s', async () => {
    for (let i = 0; i < LIMITS.manualRecordings.perOrganization; i++) {
      await recordings.start(camera(), TEN_MINUTES_MS, 'Ada');
    }
    const refused = { code: 'TOO_MANY_MANUAL_RECORDINGS' };
    await expect(recordings.start(camera(), TEN_MINUTES_MS, 'Ada')).rejects.toMatchObject(refused);
    expect(await recordings.start(camera(foreignUuid), TEN_MINUTES_MS, 'Eve')).toMatchObject({
      startedBy: 'Eve',
    });
  });
});

describe('ManualRecordingEnds', () => {
  it('removes each when it has ended, so that it counts no longer', async () => {
    await recordings.start(camera(), TEN_MINUTES_MS, 'Ada');
    follow();
    const [gate, theirs] = [camera(), camera(foreignUuid)];
    await recordings.start(gate, 2 * TEN_MINUTES_MS, 'Ada');
    await recordings.start(theirs, 20_000, 'Eve');
    await eventually('theirs is removed', async () => {
      clock.advance(10_000);
      return (await count(foreignUuid)) === 0;
    });
    expect(await count()).toBe(2);
    await recordings.start(gate, 3 * TEN_MINUTES_MS, 'Ada');
    await eventually('the first is removed', async () => {
      clock.advance(10_000);
      return (await count()) === 1;
    });
    expect(await recordings.find(orgUuid, gate.uuid)).not.toBeNull();
    expect(clock.epochMs()).toBeLessThan(BASE_MS + 2 * TEN_MINUTES_MS);
  });

  it('removes what ended while no gateway ran, and what a clock that was set back would let run for a year', async () => {
    await recordings.start(camera(), TEN_MINUTES_MS, 'Ada');
    clock.advance(TEN_MINUTES_MS);
    await follow().close();
    expect(await count()).toBe(0);
    await recordings.start(camera(), TEN_MINUTES_MS, 'Ada');
    clock.stepWallClock(-365 * 86_400_000);
    await follow().close();
    expect(await count()).toBe(0);
  });
});
