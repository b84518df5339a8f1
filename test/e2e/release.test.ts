/** A release of this repository, made in a clone: its bytes, its hashes, its signature, and why there is none. */

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyRelease } from '../../scripts/verify-release.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = '999.0.0';

let folder: string;
let clone: string;

const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
const commit = () => {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  git(...identity, 'commit', '--quiet', '--all', '--message', 'release');
};

/** Runs the script in the clone; the text is standard error. */
function release(...args: string[]): { readonly status: number; readonly text: string } {
  try {
    const script = join(clone, 'scripts/release/main.ts');
    execFileSync(process.execPath, [script, ...args], { cwd: clone, stdio: 'pipe', encoding: 'utf8' });
    return { status: 0, text: '' };
  } catch (thrown) {
    const { status, stderr } = thrown as { readonly status: number; readonly stderr: string };
    return { status, text: stderr };
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-of-clone-'));
  clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone]);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a release', () => {
  it('is refused before it is prepared', () => {
    expect(release('build', '--out', join(folder, 'none'))).toMatchObject({
      status: 1,
      text: expect.stringContaining('CHANGELOG.md has changes under Unreleased'),
    });
    expect(release('prepare', '0.0.1').text).toContain('is not newer than');
  });

  it('is prepared: version, changelog, and bill of materials', () => {
    expect(release('prepare', VERSION, '--date', '2099-01-31')).toEqual({ status: 0, text: '' });
    const read = (file: string) => readFileSync(join(clone, file), 'utf8');
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(VERSION);
    expect(JSON.parse(read('sbom.cdx.json')).metadata.component.version).toBe(VERSION);
    expect(read('CHANGELOG.md')).toContain(`## [${VERSION}] - 2099-01-31\n`);
  });

  it('is refused with uncommitted changes, and with a document that is stale', () => {
    expect(release('build', '--out', join(folder, 'none')).text).toContain('Commit or remove these changes');
    commit();
    writeFileSync(join(clone, 'THIRD-PARTY-NOTICES.txt'), 'none\n');
    commit();
    expect(release('build', '--out', join(folder, 'none')).text).toContain('Stale: THIRD-PARTY-NOTICES.txt');
    git('checkout', '--quiet', 'HEAD~1');
  });

  it('has the same bytes each time, and is what its maker signed', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const keyFile = join(folder, 'release.pem');
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const outs = ['first', 'second'].map((name) => join(folder, name));
    for (const out of outs) {
      expect(release('build', '--out', out, '--key', keyFile)).toEqual({ status: 0, text: '' });
      // Would change the modes of files in the archive.
      git('config', 'tar.umask', '0077');
    }
    const [first, second] = outs as [string, string];
    const files = readdirSync(first).sort();
    expect(files).toEqual(
      ['SHA256SUMS', '-notices.txt', '.cdx.json', '.intoto.jsonl', '.provenance.json', '.tar.gz'].map(
        (name) => (name === 'SHA256SUMS' ? name : `sluice-${VERSION}${name}`),
      ),
    );
    for (const file of files) {
      expect(readFileSync(join(second, file)).equals(readFileSync(join(first, file)))).toBe(true);
    }
    const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    expect(verifyRelease(first, publicPem).filter(({ isRight }) => !isRight)).toEqual([]);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: first });
    const archive = gunzipSync(readFileSync(join(first, `sluice-${VERSION}.tar.gz`)));
    const listed = execFileSync('tar', ['--list'], { input: archive, encoding: 'utf8' }).split('\n');
    expect(listed).toEqual(
      expect.arrayContaining([`sluice-${VERSION}/src/app/main.ts`, `sluice-${VERSION}/SECURITY.md`]),
    );
    expect(listed.filter((name) => name.includes('node_modules'))).toEqual([]);
  });

  it('is refused over files of another one', () => {
    expect(release('build', '--out', join(folder, 'first')).text).toContain('is not empty');
  });
});
