import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readSigningAnchors } from './signing-anchors.ts';

const FIXTURES = resolve(import.meta.dirname, '../../codec/media-signing/fixtures');

it('reads certificates, and names the key and the file if there are none', async () => {
  const file = join(FIXTURES, 'ca.pem');
  expect(await readSigningAnchors(file)).toBe(await readFile(file, 'utf8'));
  expect(await readSigningAnchors(null)).toBe('');
  for (const [name, what] of [
    ['README.md', 'is not a PEM file with certificates'],
    ['missing.pem', 'cannot be read (ENOENT)'],
  ] as const) {
    await expect(readSigningAnchors(join(FIXTURES, name))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [{ key: 'sources.signingAnchors', message: `${join(FIXTURES, name)} ${what}` }],
    });
  }
});
