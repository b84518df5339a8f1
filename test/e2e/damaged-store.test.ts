/** A data folder that a disk damaged: one line says what to do, and nothing is overwritten. */

import { mkdtemp, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-damaged-'));
  await writeFile(join(folder, 'sluice.yaml'), `data: ${join(folder, 'data')}\ndemo: false\n`);
  expect((await keys()).code).toBe(0);
});
afterEach(() => rm(folder, { recursive: true }));

const keys = () => runCli('keys', 'list', '--config', join(folder, 'sluice.yaml'));
const serve = () => runCli('serve', '--config', join(folder, 'sluice.yaml'));

describe('sluice serve', () => {
  it('says in one line that the database is damaged', async () => {
    const path = join(folder, 'data', 'sluice.db');
    const content = await readFile(path);
    await rm(`${path}-wal`, { force: true });
    await writeFile(path, content.fill(0xa5, 0, 4_096));
    const { code, stderr } = await serve();
    expect([code, lines(stderr)]).toEqual([
      1,
      [expect.stringMatching(/^The database is damaged.*\(STORE_CORRUPT;.*sluice\.db/)],
    ]);
    expect(await readFile(path)).toEqual(content);
  });

  it('does not begin anew over an emptied database', async () => {
    const path = join(folder, 'data', 'sluice.db');
    await truncate(path);
    await utimes(join(folder, 'data', 'secret.key'), 1, 1);
    const { code, stderr } = await serve();
    expect([code, lines(stderr)]).toEqual([
      1,
      [expect.stringMatching(/^The database file is empty.*\(STORE_EMPTIED;/)],
    ]);
    expect((await readFile(path)).length).toBe(0);
  });
});

/** Without the log lines in between. */
function lines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}
