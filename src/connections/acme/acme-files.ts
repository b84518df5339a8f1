/**
 * What is stored of an ACME account: its key, the certificate with its key, and when attempts were made. Only their owner
 * can read the files, and each is complete or as it was before. Certificate and key are one file, so that they change at once.
 */

import { createHash, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../../core/errors.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import { NO_ATTEMPTS, type RenewalRecord } from './renewal-schedule.ts';
import type { CertificateWithKey } from './self-signed.ts';

const HASH_CHARS = 12;
const ONLY_OWNER = 0o600;
const ONLY_OWNER_FOLDER = 0o700;

export class AcmeFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Each ACME server has a folder in `folder`: accounts and certificates of one are nothing to another. Fails ACME_FILES_UNAVAILABLE. */
  static async open(folder: string, directory: string): Promise<AcmeFiles> {
    const hash = createHash('sha256').update(directory).digest('hex').slice(0, HASH_CHARS);
    const own = join(folder, `${new URL(directory).hostname}-${hash}`);
    await orUnavailable(own, () => mkdir(own, { recursive: true, mode: ONLY_OWNER_FOLDER }));
    return new AcmeFiles(own);
  }

  /** Certificate, those that vouch for it, and the key. */
  get certificate(): string {
    return join(this.#folder, 'certificate.pem');
  }

  writeCertificate({ certPem, keyPem }: CertificateWithKey): Promise<void> {
    return this.#write(this.certificate, `${certPem.trimEnd()}\n${keyPem}`);
  }

  /** Of the account. Created if there is none, or none that can be used: the ACME server then makes another account. */
  async accountKeyPem(): Promise<string> {
    const file = join(this.#folder, 'account.key');
    const stored = await this.#read(file);
    if (stored !== null && isKey(stored)) return stored;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    await this.#write(file, pem);
    return pem;
  }

  /** As if nothing had been attempted if it cannot be understood. */
  async readRecord(): Promise<RenewalRecord> {
    return parseRecord((await this.#read(this.#record)) ?? '');
  }

  writeRecord(record: RenewalRecord): Promise<void> {
    return this.#write(this.#record, `${JSON.stringify(record)}\n`);
  }

  get #record(): string {
    return join(this.#folder, 'attempts.json');
  }

  /** null: there is none. */
  #read(file: string): Promise<string | null> {
    return orUnavailable(file, async () => {
      try {
        return await readFile(file, 'latin1');
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw thrown;
      }
    });
  }

  #write(file: string, content: string): Promise<void> {
    return orUnavailable(file, async () => {
      const draft = `${file}.${randomBytes(4).toString('hex')}`;
      try {
        const handle = await open(draft, 'wx', ONLY_OWNER);
        try {
          await handle.writeFile(content, 'latin1');
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(draft, file);
      } catch (thrown) {
        await rm(draft, { force: true });
        throw thrown;
      }
      await syncFolder(this.#folder);
    });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Without the cause: it can repeat what was to be written. */
async function orUnavailable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw new GatewayError(CONNECTION_ERRORS.ACME_FILES_UNAVAILABLE, { file, reason: code });
  }
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ec';
  } catch {
    // What is wrong with a key is not to be said.
    return false;
  }
}

function parseRecord(text: string): RenewalRecord {
  try {
    const { attemptedAtEpochMs, failures, retryAfterMs, issuedAtEpochMs } = JSON.parse(text);
    const isTime = (value: unknown) => value === null || Number.isSafeInteger(value);
    const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
    if (!isTime(attemptedAtEpochMs) || !isTime(issuedAtEpochMs)) return NO_ATTEMPTS;
    if (!isCount(failures) || !isCount(retryAfterMs)) return NO_ATTEMPTS;
    return { attemptedAtEpochMs, failures, retryAfterMs, issuedAtEpochMs };
  } catch {
    // Missing, or damaged.
    return NO_ATTEMPTS;
  }
}
