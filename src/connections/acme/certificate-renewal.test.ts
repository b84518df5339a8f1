import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateFolder } from '../../../test/support/certificates.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { readCertificate } from '../certificate.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import { AcmeFiles } from './acme-files.ts';
import { AcmeRefusal } from './acme-transport.ts';
import { CertificateRenewal } from './certificate-renewal.ts';
import type { CertificateWithKey } from './self-signed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DIRECTORY = 'https://acme.example.com/directory';

let folder: string;
let authority: CertificateFolder;
let clock: FakeClock;
let files: AcmeFiles;
let logged: [message: string, fields: Record<string, unknown>][];
let orders: number;
/** What the ACME server does with the next orders. */
let outcome: (signal: AbortSignal) => CertificateWithKey | Promise<CertificateWithKey>;
let renewal: CertificateRenewal | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-acme-'));
  authority = new CertificateFolder();
  clock = new FakeClock(Date.now());
  files = await AcmeFiles.open(folder, DIRECTORY);
  logged = [];
  orders = 0;
  outcome = () => issue();
  renewal = null;
});
afterEach(async () => {
  await renewal?.close();
  authority.remove();
  rmSync(folder, { recursive: true });
});

/** A certificate of 90 days that another has signed. */
function issue(name = 'localhost'): CertificateWithKey {
  const { cert, key } = authority.makeIssued(name, { days: 90 });
  return { certPem: readFileSync(cert, 'latin1'), keyPem: readFileSync(key, 'latin1') };
}

function refuse(retryAfter: string | null = null): never {
  throw new AcmeRefusal(CONNECTION_ERRORS.ACME_RATE_LIMITED, { status: 429 }, retryAfter);
}

async function open(): Promise<CertificateRenewal> {
  await renewal?.close();
  const write = (fields: object, message: string) => void logged.push([message, { ...fields }]);
  const log: Log = { ...silentLog, info: write, warn: write, error: write };
  renewal = await CertificateRenewal.open({
    ...{ domains: ['localhost'], files, clock, log, random: () => 0 },
    order: async (signal) => {
      orders += 1;
      return outcome(signal);
    },
  });
  return renewal;
}

/** The attempt that was due is over: the next one is planned. */
async function settle(): Promise<void> {
  while (clock.pendingTimers === 0) await new Promise(setImmediate);
}

/** Lets so much time pass, an hour at a time. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= HOUR_MS) {
    clock.advance(Math.min(leftMs, HOUR_MS));
    await settle();
  }
}

const messages = () => logged.map(([message]) => message);
const stored = () => readCertificate({ cert: files.certificate, key: files.certificate });

describe('the first certificate', () => {
  it('is ordered at once; until it is there, there is a self-signed one', async () => {
    const opened = await open();
    const before = await stored();
    expect([before.names, opened.state]).toEqual(['DNS:localhost', { isSelfSigned: true, failure: null }]);
    const renewed: string[] = [];
    opened.onRenewed(() => renewed.push('once'));
    await pass(1);
    expect([orders, renewed, opened.state.isSelfSigned]).toEqual([1, ['once'], false]);
    expect((await stored()).certPem).not.toBe(before.certPem);
    expect(messages()).toEqual(['self-signed certificate created', 'certificate renewed']);
  });

  it('is asked for less and less often while it fails, also by a gateway that restarts all the time', async () => {
    outcome = () => refuse();
    await open();
    await pass(2 * DAY_MS);
    // 5, 10, 20 … minutes, then every six hours.
    expect(orders).toBeGreaterThan(8);
    expect(orders).toBeLessThanOrEqual(15);
    expect(renewal!.state).toEqual({ isSelfSigned: true, failure: 'ACME_RATE_LIMITED' });
    const before = orders;
    for (let restarts = 0; restarts < 50; restarts++) {
      await open();
      await pass(MINUTE_MS);
    }
    expect(orders - before).toBeLessThanOrEqual(1);
  });

  it.each<[string, (nowEpochMs: number) => string, number]>([
    ['seconds', () => String((2 * DAY_MS) / 1_000), 2 * DAY_MS],
    ['a date', (nowEpochMs) => new Date(nowEpochMs + 3 * DAY_MS).toUTCString(), 3 * DAY_MS],
    ['nothing that can be understood', () => 'soon', 5 * MINUTE_MS],
  ])(
    'is not asked for again before the time that the ACME server gives as %s',
    async (_what, retryAfter, ms) => {
      outcome = () => refuse(retryAfter(clock.epochMs()));
      await open();
      await pass(ms - MINUTE_MS);
      expect(orders).toBe(1);
      await pass(2 * MINUTE_MS);
      expect(orders).toBe(2);
    },
  );

  it('takes the place of a stored one that is damaged', async () => {
    writeFileSync(files.certificate, 'damaged');
    await open();
    await pass(1);
    expect(messages()).toEqual([
      ...['stored certificate replaced', 'self-signed certificate created', 'certificate renewed'],
    ]);
  });
});

describe('a stored certificate', () => {
  beforeEach(async () => {
    await open();
    await pass(1);
    orders = 0;
    logged = [];
  });

  it('is used after a restart, without an order', async () => {
    const before = await stored();
    await open();
    await pass(DAY_MS);
    expect([orders, (await stored()).certPem, messages()]).toEqual([0, before.certPem, []]);
  });

  it('is renewed when a third of its life is left', async () => {
    await pass(59 * DAY_MS);
    expect(orders).toBe(0);
    await pass(2 * DAY_MS);
    expect([orders, messages()]).toEqual([1, ['certificate renewed']]);
  });

  it('stays when the next one cannot be had, whatever the reason', async () => {
    const before = await stored();
    await pass(59 * DAY_MS);
    for (const [failing, code] of [
      [() => refuse(), 'ACME_RATE_LIMITED'],
      [() => Promise.reject(new GatewayError(CONNECTION_ERRORS.ACME_UNREACHABLE)), 'ACME_UNREACHABLE'],
      [() => issue('other'), 'ACME_CERTIFICATE_INVALID'],
      [() => ({ ...issue(), keyPem: issue().keyPem }), 'ACME_CERTIFICATE_INVALID'],
      [() => ({ ...issue(), certPem: 'nothing' }), 'ACME_CERTIFICATE_INVALID'],
    ] as const) {
      outcome = failing;
      const made = orders;
      while (orders === made) await pass(HOUR_MS);
      expect(renewal!.state).toEqual({ isSelfSigned: false, failure: code });
      expect((await stored()).certPem).toBe(before.certPem);
    }
    expect(new Set(messages())).toEqual(new Set(['certificate not renewed']));
    outcome = () => issue();
    await pass(DAY_MS);
    expect(renewal!.state.failure).toBeNull();
  });

  it('is not renewed again and again by a clock that jumps', async () => {
    for (let jumps = 0; jumps < 100; jumps++) {
      clock.stepWallClock(jumps % 2 === 0 ? 400 * DAY_MS : -400 * DAY_MS);
      await pass(3 * HOUR_MS);
    }
    expect(orders).toBe(0);
  });

  it('is renewed once when the clock goes far ahead and stays there, also over restarts', async () => {
    clock.stepWallClock(400 * DAY_MS);
    await pass(3 * DAY_MS);
    for (let restarts = 0; restarts < 20; restarts++) {
      await open();
      await pass(6 * HOUR_MS);
    }
    expect(orders).toBe(1);
  });

  it('is renewed in time although the clock was set back', async () => {
    clock.stepWallClock(-400 * DAY_MS);
    await pass(61 * DAY_MS);
    expect(orders).toBe(1);
  });
});

it('files are for their owner alone, whole, and hold no more than they must', async () => {
  await files.accountKeyPem();
  await open();
  await pass(1);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(paths.map((path) => path.split('/').at(-1)).sort()).toEqual([
    ...['account.key', 'attempts.json', 'certificate.pem'],
  ]);
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  expect(await files.accountKeyPem()).toBe(await files.accountKeyPem());
  const [, secret] = /PRIVATE KEY-----\n(.{40})/.exec(readFileSync(files.certificate, 'latin1'))!;
  expect(inspect([logged, renewal], { depth: 9 })).not.toContain(secret);
});

it('an order on its way ends with the gateway, and is no failure', async () => {
  outcome = (signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  await open();
  clock.advance(1);
  while (orders === 0) await new Promise(setImmediate);
  await renewal!.close();
  expect(messages()).toEqual(['self-signed certificate created']);
});
