import { describe, expect, it } from 'vitest';
import { ForeignChanges } from './foreign-changes.ts';
import type { ChangeLogFollower, ChangeLogFollowerOptions } from './postgres/change-log-follower.ts';

type Listeners = Pick<ChangeLogFollowerOptions, 'onChange' | 'onMissed'>;

async function followed() {
  let listeners: Listeners | null = null;
  const changes = await ForeignChanges.follow(
    {
      follow: async (given) => {
        listeners = given;
        return { isUp: true, close: async () => undefined } as unknown as ChangeLogFollower;
      },
    },
    () => undefined,
  );
  return { changes, miss: () => listeners!.onMissed() };
}

describe('changes of other processes', () => {
  it('do not exist for a database in a file', async () => {
    const changes = await ForeignChanges.follow({}, () => undefined);
    expect(changes.isUp).toBeNull();
    await changes.close();
  });

  it('that were missed during the start are made up for at its end', async () => {
    const { changes, miss } = await followed();
    await miss();
    let loads = 0;
    await changes.reloadWith(async () => void loads++);
    expect(loads).toBe(1);
    await miss();
    expect(loads).toBe(2);
  });

  it('are not made up for while loading fails', async () => {
    const { changes, miss } = await followed();
    await changes.reloadWith(() => Promise.reject(new Error('not now')));
    await expect(miss()).rejects.toThrow('not now');
  });
});
