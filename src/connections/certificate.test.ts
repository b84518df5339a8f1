import { copyFileSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { type CertificateFiles, readCertificate } from './certificate.ts';
import { MadeCertificates } from './certificate-fixture.ts';
import { CertificateWatch } from './certificate-watch.ts';

const LOOK_MS = 5_000;

let folder: MadeCertificates;
let one: CertificateFiles;
let other: CertificateFiles;
let expired: CertificateFiles;
beforeAll(() => {
  folder = new MadeCertificates();
  one = folder.make('one');
  other = folder.make('other');
  expired = folder.make('expired', { days: -1 });
});
afterAll(() => folder.remove());

const written = (name: string, content: string): string => {
  writeFileSync(folder.path(name), content);
  return folder.path(name);
};

describe('reading a certificate', () => {
  it('says what it is for and when it ends', async () => {
    const read = await readCertificate(one);
    expect(read.names).toBe('DNS:localhost, IP Address:127.0.0.1');
    expect(read.validToEpochMs - read.validFromEpochMs).toBe(30 * 86_400_000);
  });

  it('accepts a chain, with anything between its certificates', async () => {
    const cert = written('chain.pem', `# own\n${readFileSync(one.cert)}\n${readFileSync(other.cert)}`);
    expect((await readCertificate({ cert, key: one.key })).names).toContain('localhost');
  });

  it('accepts one that has expired', async () => {
    expect((await readCertificate(expired)).validToEpochMs).toBeLessThan(Date.now());
  });

  it.each<[string, () => CertificateFiles, object]>([
    [
      'a certificate that is not there',
      () => ({ ...one, cert: folder.path('nowhere.pem') }),
      {
        code: 'TLS_FILE_UNREADABLE',
        context: { file: expect.stringContaining('nowhere.pem'), reason: 'ENOENT' },
      },
    ],
    [
      'a key that is not there',
      () => ({ ...one, key: folder.path('nowhere.key') }),
      { code: 'TLS_FILE_UNREADABLE', context: { file: expect.stringContaining('nowhere.key') } },
    ],
    [
      'a folder',
      () => ({ ...one, cert: folder.folder }),
      { code: 'TLS_FILE_UNREADABLE', context: { file: expect.stringContaining('sluice') } },
    ],
    [
      'a certificate that is none',
      () => ({ ...one, cert: written('text.pem', 'certificate') }),
      { code: 'TLS_CERTIFICATE_INVALID', context: { file: expect.stringContaining('text.pem') } },
    ],
    [
      'a certificate that is damaged',
      () => ({
        ...one,
        cert: written('damaged.pem', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'),
      }),
      { code: 'TLS_CERTIFICATE_INVALID', context: { file: expect.stringContaining('damaged.pem') } },
    ],
    [
      'a key that is none',
      () => ({ ...one, key: one.cert }),
      { code: 'TLS_KEY_INVALID', context: { file: expect.stringContaining('one.pem') } },
    ],
    [
      'a key of another certificate',
      () => ({ cert: one.cert, key: other.key }),
      {
        code: 'TLS_KEY_MISMATCH',
        context: {
          file: expect.stringContaining('other.key'),
          certificate: expect.stringContaining('one.pem'),
        },
      },
    ],
  ])('names the file of %s', async (_what, files, failure) => {
    await expect(readCertificate(files())).rejects.toMatchObject(failure);
  });

  it('repeats nothing of a key', async () => {
    const [, body = ''] = readFileSync(one.key, 'latin1').split('\n');
    const key = written(
      'damaged.key',
      readFileSync(one.key, 'latin1').replace('PRIVATE KEY-----\n', 'PRIVATE KEY-----\nAA'),
    );
    const failure = await readCertificate({ ...one, key }).catch((thrown: unknown) => thrown);
    expect(body.length).toBeGreaterThan(32);
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(body.slice(0, 16));
  });
});

describe('a listener’s certificate', () => {
  let clock: FakeClock;
  let logged: [level: string, message: string, fields: object][];
  let files: CertificateFiles;
  let watch: CertificateWatch | null;
  let changes: string[];

  beforeEach(async () => {
    clock = new FakeClock(Date.now());
    logged = [];
    changes = [];
    watch = null;
    files = { cert: folder.path('current.pem'), key: folder.path('current.key') };
    replaceBy(one);
  });
  afterEach(() => watch?.close());

  function replaceBy({ cert, key }: CertificateFiles, ...which: readonly ('cert' | 'key')[]): void {
    // As programs that renew certificates do: never half of a file.
    for (const name of which.length === 0 ? (['cert', 'key'] as const) : which) {
      copyFileSync(name === 'cert' ? cert : key, `${files[name]}.new`);
      renameSync(`${files[name]}.new`, files[name]);
    }
  }

  async function open(): Promise<CertificateWatch> {
    const log: Log = {
      ...silentLog,
      info: (fields, message) => void logged.push(['info', message, fields]),
      warn: (fields, message) => void logged.push(['warn', message, fields]),
      error: (fields, message) => void logged.push(['error', message, fields]),
    };
    watch = await CertificateWatch.open({ listener: 'media', files, clock, log });
    watch.onChange(({ certPem }) => changes.push(certPem));
    return watch;
  }

  /** Lets the files be checked this many times. */
  async function look(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const before = clock.pendingTimers;
      clock.advance(LOOK_MS);
      // Each look sets the timer for the next one when it is over.
      while (clock.pendingTimers < before) await new Promise(setImmediate);
    }
  }

  it('is replaced when the files have changed and stay as they are', async () => {
    const opened = await open();
    await look(2);
    expect(changes).toEqual([]);
    replaceBy(other);
    await look(2);
    expect(changes).toEqual([readFileSync(other.cert, 'latin1')]);
    expect(opened.current.certPem).toBe(readFileSync(other.cert, 'latin1'));
    expect(logged.map(([level, message]) => [level, message])).toEqual([
      ['info', 'TLS certificate reloaded'],
    ]);
  });

  it('waits for the second file', async () => {
    await open();
    replaceBy(other, 'cert');
    await look(1);
    replaceBy(other, 'key');
    await look(2);
    expect([changes.length, logged.filter(([level]) => level === 'error')]).toEqual([1, []]);
  });

  it('stays if the new one is wrong, and says so once', async () => {
    const opened = await open();
    replaceBy(other, 'cert');
    await look(6);
    expect(changes).toEqual([]);
    expect(opened.failure?.code).toBe('TLS_KEY_MISMATCH');
    expect(logged).toEqual([
      [
        'error',
        'TLS certificate not reloaded',
        {
          listener: 'media',
          err: expect.objectContaining({ context: { file: files.key, certificate: files.cert } }),
        },
      ],
    ]);
    replaceBy(other, 'key');
    await look(2);
    expect([changes.length, opened.failure]).toEqual([1, null]);
  });

  it('stays if the files are gone', async () => {
    const opened = await open();
    unlinkSync(files.cert);
    await look(3);
    expect(opened.current.certPem).toBe(readFileSync(one.cert, 'latin1'));
    expect(logged.map(([, message]) => message)).toEqual(['TLS certificate not reloaded']);
    replaceBy(other);
    await look(2);
    expect(changes).toHaveLength(1);
  });

  it('is read at once when asked, and says what is wrong every time', async () => {
    const opened = await open();
    replaceBy(other);
    await opened.reload();
    expect(changes).toHaveLength(1);
    replaceBy(one, 'key');
    await opened.reload();
    await opened.reload();
    expect(logged.filter(([level]) => level === 'error')).toHaveLength(2);
    expect(changes).toHaveLength(1);
  });

  it('is used although it has expired, with a warning that names the file', async () => {
    replaceBy(expired);
    await open();
    expect(logged).toEqual([
      ['warn', 'TLS certificate expired', expect.objectContaining({ file: files.cert })],
    ]);
  });
});
