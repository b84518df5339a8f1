import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { readCertificate } from '../certificate.ts';
import { issuedFor } from '../certificate-fixture.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import { AcmeFiles } from './acme-files.ts';
import { AcmeRefusal } from './acme-transport.ts';
import { CertificateRenewal } from './certificate-renewal.ts';
import { type CertificateWithKey, createSelfSigned } from './self-signed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DIRECTORY = 'https://acme.example.com/directory';

let made: string;
let folder: string;
let clock: FakeClock;
let files: AcmeFiles;
let logged: [message: string, fields: Record<string, unknown>][];
let orders: number;
/** The ACME server's action on the next orders. */
let outcome: (signal: AbortSignal) => CertificateWithKey | Promise<CertificateWithKey>;
let renewal: CertificateRenewal | null;

beforeEach(async () => {
  made = mkdtempSync(join(tmpdir(), 'sluice-acme-'));
  folder = join(made, 'acme');
  clock = new FakeClock(Date.now());
  files = await AcmeFiles.open(folder, DIRECTORY);
  logged = [];
  orders = 0;
  outcome = () => issue();
  renewal = null;
});
afterEach(async () => {
  await renewal?.close();
  rmSync(made, { recursive: true });
});

/** A certificate that another has signed. */
function issue(name = 'localhost', days = 90): CertificateWithKey {
  return issuedFor(name, days, clock.epochMs());
}

/** More than is read back. */
function hugeChain(): CertificateWithKey {
  const { certPem, keyPem } = issue();
  return { certPem: certPem.repeat(600), keyPem };
}

function brokenChain(): CertificateWithKey {
  const { certPem, keyPem } = issue();
  return { certPem: `${certPem}${certPem.replace(/\nMI/, '\nXX')}`, keyPem };
}

function refuse(retryAfter: string | null = null): never {
  throw new AcmeRefusal(CONNECTION_ERRORS.ACME_RATE_LIMITED, { status: 429 }, retryAfter);
}

async function open(domains = ['localhost']): Promise<CertificateRenewal> {
  await renewal?.close();
  const write = (fields: object, message: string) => void logged.push([message, { ...fields }]);
  const log: Log = { ...silentLog, info: write, warn: write, error: write };
  renewal = await CertificateRenewal.open({
    domains,
    files,
    clock,
    log,
    random: () => 0,
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
    expect([before.names, opened.state]).toEqual([
      'DNS:localhost',
      { isSelfSigned: true, missingDomains: 0, failure: null },
    ]);
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
    expect(renewal!.state).toMatchObject({ isSelfSigned: true, failure: 'ACME_RATE_LIMITED' });
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
      'stored certificate replaced',
      'self-signed certificate created',
      'certificate renewed',
    ]);
  });
});

it('a stored certificate that cannot be read is not replaced', async () => {
  mkdirSync(files.certificate);
  await expect(open()).rejects.toMatchObject({ code: 'TLS_FILE_UNREADABLE' });
  expect([statSync(files.certificate).isDirectory(), messages()]).toEqual([true, []]);
});

describe('a failure', () => {
  beforeEach(async () => {
    outcome = () => refuse();
    await open();
    await pass(1);
  });

  it('is known after a restart, which says how long the next order is postponed', async () => {
    logged = [];
    const { state } = await open();
    expect(state).toMatchObject({ isSelfSigned: true, failure: 'ACME_RATE_LIMITED' });
    expect(logged).toEqual([
      [
        'certificate order postponed',
        { domains: ['localhost'], isSelfSigned: true, retryInSec: 300, failure: 'ACME_RATE_LIMITED' },
      ],
    ]);
  });

  it('is over at once when someone asks for another attempt, but not without end', async () => {
    outcome = () => issue();
    clock.advance(MINUTE_MS);
    renewal!.retry();
    await pass(1);
    expect([orders, renewal!.state.failure]).toEqual([2, null]);
    renewal!.retry();
    await pass(DAY_MS);
    expect(orders).toBe(2);
  });

  it('is not repeated within seconds, however often someone asks', async () => {
    for (let second = 0; second < 30; second++) {
      renewal!.retry();
      await pass(1_000);
    }
    expect(orders).toBe(1 + 3);
  });

  it('is not repeated before the time that the ACME server gave, whoever asks', async () => {
    clock.advance(MINUTE_MS);
    outcome = () => refuse('7200');
    renewal!.retry();
    await pass(1);
    renewal!.retry();
    await pass(HOUR_MS);
    renewal!.retry();
    await pass(HOUR_MS / 2);
    expect(orders).toBe(2);
    await pass(HOUR_MS / 2);
    expect(orders).toBe(3);
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
      [() => hugeChain(), 'ACME_CERTIFICATE_INVALID'],
      [() => brokenChain(), 'ACME_CERTIFICATE_INVALID'],
      [() => issue('localhost', 0), 'ACME_CERTIFICATE_INVALID'],
      [() => createSelfSigned(['localhost'], clock.epochMs()), 'ACME_CERTIFICATE_INVALID'],
    ] as const) {
      outcome = failing;
      const made = orders;
      while (orders === made) await pass(HOUR_MS);
      expect(renewal!.state).toEqual({ isSelfSigned: false, missingDomains: 0, failure: code });
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

  it('stays until there is one for a domain that is new, and the state says so', async () => {
    const before = await stored();
    outcome = () => refuse();
    await open(['localhost', 'new.example.com']);
    expect(renewal!.state).toEqual({ isSelfSigned: false, missingDomains: 1, failure: null });
    expect(messages()).toEqual(['certificate order postponed']);
    await pass(HOUR_MS);
    expect([orders, renewal!.state.failure]).toEqual([1, 'ACME_RATE_LIMITED']);
    expect((await stored()).certPem).toBe(before.certPem);
  });

  it('is not postponed for a new domain when someone asks', async () => {
    outcome = () => refuse();
    await open(['localhost', 'new.example.com']);
    clock.advance(MINUTE_MS);
    renewal!.retry();
    await pass(1);
    expect(orders).toBe(1);
  });

  it('is in use also if its renewal cannot be recorded', async () => {
    await pass(59 * DAY_MS);
    const record = join(files.certificate, '..', 'attempts.json');
    outcome = () => {
      // A folder in its place: renaming the draft fails.
      rmSync(record);
      mkdirSync(join(record, 'in-the-way'), { recursive: true });
      return issue();
    };
    const renewed: string[] = [];
    renewal!.onRenewed(() => renewed.push('once'));
    await pass(2 * DAY_MS);
    expect([orders, renewed, renewal!.state.failure]).toEqual([1, ['once'], null]);
    expect(messages()).toEqual(['certificate renewal not recorded', 'certificate renewed']);
  });

  it('is renewed in time although the clock was set back', async () => {
    clock.stepWallClock(-400 * DAY_MS);
    await pass(61 * DAY_MS);
    expect(orders).toBe(1);
  });
});

it('files are for their owner alone, whole, and hold no more than they must', async () => {
  await files.accountKeyPem(silentLog);
  await open();
  await pass(1);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(paths.map((path) => path.split('/').at(-1)).sort()).toEqual([
    'account.key',
    'attempts.json',
    'certificate.pem',
  ]);
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  expect(await files.accountKeyPem(silentLog)).toBe(await files.accountKeyPem(silentLog));
  const [, secret] = /PRIVATE KEY-----\n(.{40})/.exec(readFileSync(files.certificate, 'latin1'))!;
  expect(inspect([logged, renewal], { depth: 9 })).not.toContain(secret);
});

it('a key that comes with the chain is not stored', async () => {
  const mine = issue();
  outcome = () => ({ ...mine, certPem: `${issue().keyPem}${mine.certPem}` });
  await open();
  await pass(1);
  const text = readFileSync(files.certificate, 'latin1');
  expect(text.match(/PRIVATE KEY/g)).toHaveLength(2);
  expect(text).toContain(mine.keyPem);
});

it('what a killed process was writing is removed, and nothing else', async () => {
  await files.accountKeyPem(silentLog);
  const own = join(files.certificate, '..');
  for (const name of ['certificate.pem.0a1b2c3d', 'account.key.ffffffff', 'notes.txt', 'account.key.old']) {
    writeFileSync(join(own, name), 'x');
  }
  await AcmeFiles.open(folder, DIRECTORY);
  expect(readdirSync(own).sort()).toEqual(['account.key', 'account.key.old', 'notes.txt']);
});

it('an account key that cannot be used is replaced, and the log says so, without it', async () => {
  const first = await files.accountKeyPem(silentLog);
  writeFileSync(join(files.certificate, '..', 'account.key'), first.slice(0, 60));
  const warned: unknown[] = [];
  const log: Log = { ...silentLog, warn: (...said) => void warned.push(said) };
  expect(await files.accountKeyPem(log)).not.toBe(first);
  expect(warned).toEqual([[{ file: expect.stringMatching(/account\.key$/) }, 'ACME account key replaced']]);
});

it('the data folder is not for the owner alone if the certificate is what it begins with', async () => {
  const data = join(folder, 'data');
  await AcmeFiles.open(join(data, 'acme'), DIRECTORY);
  const modes = [data, join(data, 'acme')].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o777 & ~process.umask(), 0o700]);
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
