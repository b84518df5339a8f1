import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../recording/recording-fixture.ts';
import { CacheFolder } from './cache-folder.ts';

it('is emptied, and only its user can read it', async () => {
  const path = join(testFolder(), 'data', 'cache');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'left'), 'by an earlier gateway');
  const folder = new CacheFolder(path);
  await folder.empty();
  expect(existsSync(join(path, 'left'))).toBe(false);
  await folder.write('1', Buffer.from('bytes'));
  expect(await folder.read('1')).toEqual(Buffer.from('bytes'));
  expect([statSync(path).mode & 0o777, statSync(join(path, '1')).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(await folder.freeBytes()).toBeGreaterThan(0);
  await folder.remove('1');
  await folder.remove('1');
  await expect(folder.read('1')).rejects.toMatchObject({ code: 'ENOENT' });
});
