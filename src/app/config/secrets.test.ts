import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSecrets } from './secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

let folderNumber = 0;
function freshDataDir(): string {
  return join(folder, `data-${folderNumber++}`, 'nested');
}

describe('loadSecrets', () => {
  it('creates its own secret at the first run, readable only by its owner, and keeps it', () => {
    const dataDir = freshDataDir();
    const first = loadSecrets(dataDir, {});
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'secret.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(loadSecrets(dataDir, {})).toEqual(first);
    expect(loadSecrets(freshDataDir(), {})).not.toEqual(first);
  });

  it('derives a different 32-byte key for every use, none of them the master', () => {
    const dataDir = freshDataDir();
    const keys = Object.values(loadSecrets(dataDir, {}) as unknown as Record<string, Buffer>);
    const master = readFileSync(join(dataDir, 'secret.key'), 'utf8').trim();
    expect(new Set([...keys.map((key) => key.toString('hex')), master]).size).toBe(11);
    expect(keys.map((key) => key.length)).toEqual(Array(10).fill(32));
  });

  it('derives the same keys on every machine and in every version', () => {
    // The vectors are OpenSSL's: openssl kdf -keylen 32 -kdfopt digest:SHA256 … -kdfopt info:'sluice … 1' HKDF
    const secrets = loadSecrets(freshDataDir(), { SLUICE_SECRET_KEY: '00'.repeat(32) });
    const { grantSigningKey, deviceGrantKey, shareTokenKey, fieldKey } = secrets;
    const keys = [grantSigningKey, deviceGrantKey, shareTokenKey, fieldKey];
    expect(keys.map((key) => key.toString('hex').slice(0, 16))).toEqual([
      '87b3a7dbc055f9d1',
      '90d5e49667c2695c',
      'b3a752fa1ad4df5a',
      '65c20bc6a9d20949',
    ]);
  });

  it('prefers the variable to the file and creates no file', () => {
    const dataDir = freshDataDir();
    loadSecrets(dataDir, { SLUICE_SECRET_KEY: 'AB'.repeat(32) });
    expect(readdirSync(dataDir)).toEqual([]);
    expect(() => loadSecrets(dataDir, { SLUICE_SECRET_KEY: 'hush' })).toThrow(
      expect.objectContaining({ code: 'SECRETS_DAMAGED', context: { source: 'SLUICE_SECRET_KEY' } }),
    );
  });

  it.each([0o640, 0o604, 0o660])('refuses permissions %o', (mode) => {
    const dataDir = freshDataDir();
    loadSecrets(dataDir, {});
    chmodSync(join(dataDir, 'secret.key'), mode);
    expect(() => loadSecrets(dataDir, {})).toThrow(
      expect.objectContaining({ code: 'SECRETS_EXPOSED', context: { path: join(dataDir, 'secret.key') } }),
    );
  });

  it.each(['', 'short', `${'0'.repeat(63)}x`])('rejects a damaged file: "%s"', (content) => {
    const dataDir = freshDataDir();
    loadSecrets(dataDir, {});
    writeFileSync(join(dataDir, 'secret.key'), content);
    expect(() => loadSecrets(dataDir, {})).toThrow(expect.objectContaining({ code: 'SECRETS_DAMAGED' }));
  });

  it('names the folder that cannot be created', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => loadSecrets(join(file, 'data'), {})).toThrow(
      expect.objectContaining({ code: 'SECRETS_UNAVAILABLE', kind: 'unavailable' }),
    );
  });
});
