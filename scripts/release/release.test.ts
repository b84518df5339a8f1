/** What a release consists of, without git: versions, the changelog, provenance, and the check by those who receive it. */

import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyRelease } from '../verify-release.mjs';
import { changelogProblem, releaseChangelog } from './changelog.ts';
import { renderEnvelope, renderStatement } from './provenance.ts';
import { compareVersions, withVersion } from './version.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('a version', () => {
  it('is compared by its numbers', () => {
    expect(compareVersions('0.10.0', '0.9.9')).toBeGreaterThan(0);
    expect(compareVersions('1.0.0', '1.0.0')).toBe(0);
    expect(compareVersions('1.2.3', '2.0.0')).toBeLessThan(0);
  });

  it.each(['1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0'])('is not %s', (version) => {
    expect(() => compareVersions(version, '1.0.0')).toThrow('expected MAJOR.MINOR.PATCH');
  });

  it('is set in package.json and twice in package-lock.json, and nothing else changes', () => {
    for (const [file, count] of [
      ['package.json', 1],
      ['package-lock.json', 2],
    ] as const) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const before = text.split('\n');
      const lines = withVersion(text, '123.4.5')
        .split('\n')
        .filter((line, at) => line !== before[at]);
      expect(lines.map((line) => line.trim())).toEqual(Array(count).fill('"version": "123.4.5",'));
    }
  });
});

describe('the changelog', () => {
  const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A door.\n\n## [0.1.0]\n\n- All.\n';

  it('moves what is unreleased under the version', () => {
    const after = releaseChangelog(CHANGELOG, '0.2.0', '2027-01-31');
    expect(after).toContain(
      '## [Unreleased]\n\n## [0.2.0] - 2027-01-31\n\n### Added\n\n- A door.\n\n## [0.1.0]',
    );
    expect(changelogProblem(CHANGELOG, '0.2.0')).toContain('no change under 0.2.0');
    expect(changelogProblem(after, '0.2.0')).toBeNull();
    expect(changelogProblem(after.replace('## [0.2.0]', '- More.\n\n## [0.2.0]'), '0.2.0')).toContain(
      'changes under Unreleased',
    );
  });

  it('is refused without a change, with the version already there, or with a wrong date', () => {
    const released = releaseChangelog(CHANGELOG, '0.2.0', '2027-01-31');
    expect(() => releaseChangelog(released, '0.3.0', '2027-02-01')).toThrow('no change');
    expect(() => releaseChangelog(CHANGELOG, '0.1.0', '2027-02-01')).toThrow('already has 0.1.0');
    expect(() => releaseChangelog(CHANGELOG, '0.2.0', 'today')).toThrow('expected a date');
  });
});

describe('a receiver', () => {
  let folder: string;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  const NAME = 'sluice-1.0.0';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    const files: Record<string, string> = {
      [`${NAME}.tar.gz`]: 'sources',
      [`${NAME}.cdx.json`]: '{}',
      [`${NAME}-notices.txt`]: 'notices',
    };
    const hashes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash(text)]));
    const facts = {
      version: '1.0.0',
      commit: 'c'.repeat(40),
      lockSha256: hash('lock'),
      nodeVersion: '26.0.0',
    };
    const statement = renderStatement({ ...facts, files: hashes });
    files[`${NAME}.provenance.json`] = statement;
    files[`${NAME}.intoto.jsonl`] = renderEnvelope(statement, keyPem);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeSums();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function writeSums(): void {
    const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
    const lines = names.map((name) => `${hash(readFileSync(join(folder, name)))}  ${name}\n`);
    writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  }
  const faults = (key: string | null = publicPem) =>
    verifyRelease(folder, key)
      .filter(({ isRight }) => !isRight)
      .map(({ what }) => what);

  it('finds everything right', () => {
    expect(faults()).toEqual([]);
    expect(verifyRelease(folder, publicPem).length).toBe(5 + 1 + 3 + 3 + 1);
  });

  it.each([`${NAME}.tar.gz`, `${NAME}.cdx.json`, `${NAME}-notices.txt`])(
    'notices one changed byte of %s, also if someone adapted the sums and the statement',
    (name) => {
      writeFileSync(join(folder, name), 'x');
      expect(faults()).toContain(`${name} has the hash in SHA256SUMS`);
      writeSums();
      expect(faults()).toEqual([`${name} has the hash in the provenance`]);
      const statementFile = join(folder, `${NAME}.provenance.json`);
      const { subject } = JSON.parse(readFileSync(statementFile, 'utf8'));
      const { sha256 } = subject.find((each: { readonly name: string }) => each.name === name).digest;
      writeFileSync(statementFile, readFileSync(statementFile, 'utf8').replace(sha256, hash('x')));
      writeSums();
      expect(faults()).toEqual(['the provenance is signed with your key']);
    },
  );

  it('notices a file that is missing, and one that was added', () => {
    writeFileSync(join(folder, 'extra.txt'), '');
    expect(faults()).toEqual(['extra.txt is listed in SHA256SUMS']);
    rmSync(join(folder, 'extra.txt'));
    rmSync(join(folder, `${NAME}.cdx.json`));
    expect(faults()).toEqual([
      `${NAME}.cdx.json has the hash in SHA256SUMS`,
      `${NAME}.cdx.json has the hash in the provenance`,
    ]);
  });

  it('notices another key, and a release that is not signed', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;
    expect(faults(other)).toEqual(['the provenance is signed with your key']);
    rmSync(join(folder, `${NAME}.intoto.jsonl`));
    writeSums();
    expect(faults()).toEqual(['the provenance is signed with your key']);
    expect(faults(null)).toEqual([]);
  });

  it('signs with Ed25519 alone', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const pem = rsa.export({ type: 'pkcs8', format: 'pem' }) as string;
    expect(() => renderEnvelope('{}', pem)).toThrow('expected Ed25519');
  });
});
