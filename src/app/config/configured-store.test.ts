import { mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openConfiguredStore, openSharedStore } from './configured-store.ts';
import { loadSecrets } from './secrets.ts';

const HOUR_SEC = 3_600;

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sluice-store-'));
});
afterEach(() => rm(data, { recursive: true }));

const open = async () => {
  const { fieldKey } = loadSecrets(data, {});
  const store = await openConfiguredStore({ database: null, data }, fieldKey, systemClock);
  await store.close();
};

describe('a database file that was emptied', () => {
  it('is not a new database if the secret key is older', async () => {
    await open();
    await truncate(join(data, 'sluice.db'));
    const anHourAgoSec = Date.now() / 1_000 - HOUR_SEC;
    await utimes(join(data, 'secret.key'), anHourAgoSec, anHourAgoSec);
    const { fieldKey } = loadSecrets(data, {});
    const options = { fieldKey, clock: systemClock, log: silentLog };
    const refused = { code: 'STORE_EMPTIED', context: { path: join(data, 'sluice.db') } };
    await expect(open()).rejects.toMatchObject(refused);
    await expect(openSharedStore({ database: null, data }, options)).rejects.toMatchObject(refused);
    await rm(join(data, 'sluice.db'));
    await open();
  });

  it('is one that a first start had no time to fill, if both were created within a minute', async () => {
    loadSecrets(data, {});
    await writeFile(join(data, 'sluice.db'), '');
    await open();
  });
});
