import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Location } from '../store/entities.ts';
import { sampleLocation } from '../store/sample-entities-fixture.ts';
import type { ChangeEvent } from '../store/store.ts';
import { FollowedTable } from './followed-table.ts';

/** Reads that the test completes when it likes. */
class SlowRepository {
  readonly pending: { resolve(row: Location | null): void; reject(error: Error): void }[] = [];
  rows: Location[] = [];

  find(): Promise<Location | null> {
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  }

  async listEverywhere(): Promise<Location[]> {
    return this.rows;
  }
}

describe('FollowedTable', () => {
  const location = sampleLocation(newRuuid(), { tz: 'Europe/Paris' });
  const later = { ...location, tz: 'Europe/Rome' };
  const event = (type: ChangeEvent['type']): ChangeEvent => ({
    entity: 'location',
    type,
    orgUuid: location.orgUuid,
    uuid: location.uuid,
  });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  function follow() {
    const repository = new SlowRepository();
    const clock = new FakeClock();
    const changes: Ruuid[] = [];
    const table = new FollowedTable({
      repository,
      rowOf: ({ tz }: Location) => tz,
      onRow: (uuid) => void changes.push(uuid),
      clock,
      log: silentLog,
    });
    return { repository, clock, changes, table, zone: () => table.get(location.uuid) };
  }

  it('keeps the newest state whatever the order of the results', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('CREATE'));
    table.follow(event('UPDATE'));
    repository.pending[1]!.resolve(later);
    await settled();
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });

  it('is settled when what has changed was read, or could not be', async () => {
    const { repository, table, zone } = follow();
    await table.settled();
    table.follow(event('CREATE'));
    let isSettled = false;
    const waiting = table.settled().then(() => {
      isSettled = true;
    });
    await settled();
    expect(isSettled).toBe(false);
    repository.pending[0]!.resolve(location);
    await waiting;
    expect(zone()).toBe('Europe/Paris');
    table.follow(event('UPDATE'));
    repository.pending[1]!.reject(new Error('the store is away'));
    await table.settled();
    table.close();
  });

  it('does not bring back what was removed while it was read', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('UPDATE'));
    table.follow(event('DELETE'));
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBeUndefined();
  });

  it('does not overwrite what was put while it was read', async () => {
    const { repository, table, zone } = follow();
    table.follow(event('UPDATE'));
    table.put(later);
    repository.pending[0]!.resolve(location);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });

  it('removes at once what another process removed, and reads whether it is there again', async () => {
    const { repository, table, zone } = follow();
    table.put(location);
    table.follow({ ...event('DELETE'), isForeign: true });
    expect(zone()).toBeUndefined();
    repository.pending[0]!.resolve(later);
    await settled();
    expect(zone()).toBe('Europe/Rome');
    table.follow({ ...event('DELETE'), isForeign: true });
    repository.pending[1]!.resolve(null);
    await settled();
    expect(zone()).toBeUndefined();
  });

  it('trusts an event more than a list that was being read when it arrived', async () => {
    const { repository, table, zone } = follow();
    repository.rows = [location];
    const loading = table.load();
    table.follow(event('DELETE'));
    await loading;
    expect(zone()).toBeUndefined();
  });

  it('reads again after a failure, and forgets the row while it cannot be read', async () => {
    const { repository, clock, table, zone, changes } = follow();
    table.put(location);
    table.follow(event('UPDATE'));
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(zone()).toBe('Europe/Paris');
      repository.pending[attempt]!.reject(new Error('disk'));
      await settled();
      clock.advance(250);
      await settled();
    }
    expect(zone()).toBeUndefined();
    expect(changes).toHaveLength(2);
    repository.pending[4]!.resolve(later);
    await settled();
    expect(zone()).toBe('Europe/Rome');
  });

  it('does not treat the list as newer than a put or a read that happened meanwhile', async () => {
    for (const change of ['put', 'event'] as const) {
      const { repository, table, zone } = follow();
      repository.rows = [location];
      const loading = table.load();
      if (change === 'put') table.put(later);
      else table.follow(event('UPDATE'));
      await loading;
      repository.pending[0]?.resolve(later);
      await settled();
      expect(zone()).toBe('Europe/Rome');
    }
  });

  it('reports rows that are put, replaced and removed, but neither rows that never existed nor the list', async () => {
    const { repository, table, changes } = follow();
    repository.rows = [location];
    await table.load();
    expect([...table.uuids()]).toEqual([location.uuid]);
    table.remove(newRuuid());
    expect(changes).toEqual([]);
    table.put(later);
    table.remove(location.uuid);
    table.follow(event('DELETE'));
    expect(changes).toEqual([location.uuid, location.uuid]);
  });

  it('removes a row whose read finds nothing', async () => {
    const { repository, table, zone } = follow();
    table.put(location);
    table.follow(event('UPDATE'));
    repository.pending[0]!.resolve(null);
    await settled();
    expect(zone()).toBeUndefined();
  });

  it('reads no more once closed, and keeps no timer', async () => {
    const { repository, clock, table, zone } = follow();
    table.follow(event('UPDATE'));
    table.follow(event('UPDATE'));
    table.close();
    repository.pending[0]!.resolve(location);
    repository.pending[1]!.reject(new Error('the store is closed'));
    await settled();
    clock.advance(1_000);
    await settled();
    expect([zone(), repository.pending.length, clock.pendingTimers]).toEqual([undefined, 2, 0]);
  });

  it('drops a failed read when a newer one has begun', async () => {
    const { repository, clock, table, zone } = follow();
    table.follow(event('UPDATE'));
    repository.pending[0]!.reject(new Error('disk'));
    await settled();
    table.follow(event('UPDATE'));
    repository.pending[1]!.resolve(later);
    await settled();
    clock.advance(1_000);
    await settled();
    expect([zone(), repository.pending.length]).toEqual(['Europe/Rome', 2]);
  });
});
