import { expect, it } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { ChangeFeed } from '../../store/change-feed.ts';
import { followSettings } from './follow-settings.ts';

const uuid = deriveRuuid('test', 'settings');
const changed = { type: 'UPDATE', orgUuid: uuid, uuid } as const;

it('applies what another node saved, and nothing twice', async () => {
  const feed = new ChangeFeed();
  let reloads = 0;
  let isFailing = false;
  const logged: string[] = [];
  const reload = async () => {
    reloads += 1;
    if (isFailing) throw new Error('the store is away');
  };
  const log = { ...silentLog, error: (_fields: object, message: string) => void logged.push(message) };
  const end = followSettings({ onChange: (listener) => feed.subscribe(listener) }, reload, log);
  feed.publish({ ...changed, entity: 'consoleSettings' });
  feed.publish({ ...changed, entity: 'camera', isForeign: true });
  expect(reloads).toBe(0);
  feed.publish({ ...changed, entity: 'consoleSettings', isForeign: true });
  expect(reloads).toBe(1);
  isFailing = true;
  feed.publish({ ...changed, entity: 'consoleSettings', isForeign: true });
  await Promise.resolve();
  await Promise.resolve();
  expect([reloads, logged]).toEqual([2, ['settings of another node not applied']]);
  end();
  feed.publish({ ...changed, entity: 'consoleSettings', isForeign: true });
  expect(reloads).toBe(2);
});
