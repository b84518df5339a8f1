import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../../test/support/ports.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { parseConfig } from '../config/load-config.ts';
import { Cleanup } from '../process/cleanup.ts';
import { startAcme } from './start-acme.ts';

let folder: string;
let cleanup: Cleanup;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-start-acme-'));
  cleanup = new Cleanup(silentLog);
});
afterEach(async () => {
  await cleanup.run();
  rmSync(folder, { recursive: true });
});

function start(settings: { readonly http: string; readonly ca?: string }) {
  const acme = {
    domains: ['a.example'],
    termsAgreed: true,
    directory: 'https://localhost:1/dir',
    ...settings,
  };
  const text = JSON.stringify({ data: join(folder, 'data'), tls: { media: { acme: true }, acme } });
  const config = parseConfig(text, 'sluice.yaml', {});
  return startAcme({ config, env: {}, clock: systemClock, log: silentLog }, cleanup);
}

it('a port that is taken is named, and nothing was touched', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    await expect(start({ http: `127.0.0.1:${port}` })).rejects.toMatchObject({
      code: 'CLI_LISTEN_FAILED',
      context: { port, setting: 'tls.acme.http' },
    });
    expect(existsSync(join(folder, 'data'))).toBe(false);
  } finally {
    other.close();
  }
});

it.each([
  ['missing', null, 'TLS_FILE_UNREADABLE'],
  ['not PEM', 'nothing', 'TLS_CERTIFICATE_INVALID'],
])('a file of authorities that is %s is named', async (_what, text, code) => {
  const ca = join(folder, 'ca.pem');
  if (text !== null) writeFileSync(ca, text);
  await expect(start({ http: `127.0.0.1:${await freePort()}`, ca })).rejects.toMatchObject({
    code,
    context: { file: ca },
  });
});
