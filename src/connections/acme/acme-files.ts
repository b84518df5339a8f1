/**
 * The stored files of an ACME account: its key, the certificate with its key, and the times of attempts. Only their owner can read the
 * files, and each is complete or as it was before. Certificate and key are one file, so that they change at the same time.
 */

import { createHash, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { syncFolder } from '../../core/sync-folder.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import { NO_ATTEMPTS, type RenewalRecord } from './renewal-schedule.ts';
import type { CertificateWithKey } from './self-signed.ts';

const HASH_CHARS = 12;
const ONLY_OWNER = 0o600;
const ONLY_OWNER_FOLDER = 0o700;
/** A draft that a killed process left. It can hold a key. */
const DRAFT = /^(?:account\.key|attempts\.json|certificate\.pem)\.[0-9a-f]{8}$/;
/** With these, the library can sign. */
const ACCOUNT_KEY_TYPES: readonly unknown[] = ['ec', 'rsa'];

export class AcmeFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Each ACME server has a folder in `folder`: accounts and certificates of one are nothing to another. Drafts of an
   * earlier process are removed. Fails ACME_FILES_UNAVAILABLE.
   */
  static async open(folder: string, directory: string): Promise<AcmeFiles> {
    const hash = createHash('sha256').update(directory).digest('hex').slice(0, HASH_CHARS);
    const own = join(folder, `${new URL(directory).hostname}-${hash}`);
    await orUnavailable(own, async () => {
      // The data folder is not only for these files: its mode is as if they were not there.
      await mkdir(dirname(folder), { recursive: true });
      await mkdir(own, { recursive: true, mode: ONLY_OWNER_FOLDER });
      const drafts = (await readdir(own)).filter((name) => DRAFT.test(name));
      for (const draft of drafts) await rm(join(own, draft), { force: true });
    });
    return new AcmeFiles(own);
  }

  /** Certificate, those that vouch for it, and the key. */
  get certificate(): string {
    return join(this.#folder, 'certificate.pem');
  }

  writeCertificate({ certPem, keyPem }: CertificateWithKey): Promise<void> {
    return this.#write(this.certificate, `${certPem.trimEnd()}\n${keyPem}`);
  }

  /** The key of the account. Created if it is missing or unusable: the ACME server then makes another account. */
  async accountKeyPem(log: Log): Promise<string> {
    const file = join(this.#folder, 'account.key');
    const stored = await this.#read(file);
    if (stored !== null && isAccountKey(stored)) return stored;
    if (stored !== null) log.warn({ file }, 'ACME account key replaced');
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

/** Without the cause: it can repeat the text of the file. */
async function orUnavailable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw new GatewayError(CONNECTION_ERRORS.ACME_FILES_UNAVAILABLE, { file, reason: code });
  }
}

function isAccountKey(pem: string): boolean {
  try {
    return ACCOUNT_KEY_TYPES.includes(createPrivateKey(pem).asymmetricKeyType);
  } catch {
    // The fault of a key must not be logged.
    return false;
  }
}

const CODE = /^[A-Z_]{1,64}$/;

function parseRecord(text: string): RenewalRecord {
  try {
    const { attemptedAtEpochMs, failures, retryAfterMs, issuedAtEpochMs, failure } = JSON.parse(text);
    const isTime = (value: unknown) => value === null || Number.isSafeInteger(value);
    const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
    if (!isTime(attemptedAtEpochMs) || !isTime(issuedAtEpochMs)) return NO_ATTEMPTS;
    if (!isCount(failures) || !isCount(retryAfterMs)) return NO_ATTEMPTS;
    if (failure !== null && !(typeof failure === 'string' && CODE.test(failure))) return NO_ATTEMPTS;
    return { attemptedAtEpochMs, failures, retryAfterMs, issuedAtEpochMs, failure };
  } catch {
    // Missing, or damaged.
    return NO_ATTEMPTS;
  }
}
