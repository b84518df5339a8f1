/**
 * Keeps a listener's certificate current: looks at its files every few seconds, and on request. New connections use a new certificate; open
 * connections stay. If the files are wrong, the certificate in use stays.
 */

import { stat } from 'node:fs/promises';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type CertificateFiles, type ListenerCertificate, readCertificate } from './certificate.ts';

export interface CertificateWatchOptions {
  /** The name used in logs. */
  readonly listener: string;
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** Not by notices of the file system: those miss what happens behind symbolic links, which is how certificates are renewed. */
const LOOK_MS = 5_000;

export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  readonly #listeners = new Set<(certificate: ListenerCertificate) => void>();
  #current: ListenerCertificate;
  /** The state of the files at the last read. */
  #seen: string;
  /** They changed since, but may still be being written: the certificate and the key are two files. */
  #changing: string | null = null;
  #timer: TimerHandle | null = null;
  #looking: Promise<void> = Promise.resolve();
  #failure: GatewayError | null = null;

  private constructor(options: CertificateWatchOptions, current: ListenerCertificate, seen: string) {
    this.#options = options;
    this.#current = current;
    this.#seen = seen;
    this.#report();
    this.#lookLater();
  }

  /** Fails as readCertificate. */
  static async open(options: CertificateWatchOptions): Promise<CertificateWatch> {
    const seen = await lookOf(options.files);
    return new CertificateWatch(options, await readCertificate(options.files), seen);
  }

  /** The file of the certificate. */
  get file(): string {
    return this.#options.files.cert;
  }

  get current(): ListenerCertificate {
    return this.#current;
  }

  /** Why the newest files are not in use; null: they are. */
  get failure(): GatewayError | null {
    return this.#failure;
  }

  /** Called with each new certificate. */
  onChange(listener: (certificate: ListenerCertificate) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads the files now, whether they changed or not. Logs their faults. Never rejects. */
  reload(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#read());
    return this.#looking;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#listeners.clear();
  }

  #lookLater(): void {
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      this.#looking = this.#looking.then(() => this.#look());
      void this.#looking.then(() => {
        if (this.#timer !== null) this.#lookLater();
      });
    });
  }

  async #look(): Promise<void> {
    const look = await lookOf(this.#options.files);
    if (look === this.#seen) {
      this.#changing = null;
      return;
    }
    // They look the same twice in a row, so they are complete.
    if (look === this.#changing) await this.#read();
    else this.#changing = look;
  }

  async #read(): Promise<void> {
    const { files, listener, log } = this.#options;
    this.#seen = await lookOf(files);
    this.#changing = null;
    try {
      const certificate = await readCertificate(files);
      this.#failure = null;
      const before = this.#current;
      if (certificate.certPem === before.certPem && certificate.keyPem === before.keyPem) return;
      this.#current = certificate;
      for (const listen of this.#listeners) listen(certificate);
      log.info({ listener, ...this.#fields() }, 'TLS certificate reloaded');
      this.#report();
    } catch (thrown) {
      this.#failure = toGatewayError(thrown);
      log.error({ listener, err: this.#failure }, 'TLS certificate not reloaded');
    }
  }

  #fields(): object {
    const { names, validToEpochMs } = this.#current;
    return { names, validTo: new Date(validToEpochMs).toISOString() };
  }

  #report(): void {
    const { clock, listener, log } = this.#options;
    const { validFromEpochMs, validToEpochMs } = this.#current;
    const nowEpochMs = clock.epochMs();
    const fields = { listener, file: this.#options.files.cert, ...this.#fields() };
    if (nowEpochMs >= validToEpochMs) log.warn(fields, 'TLS certificate expired');
    else if (nowEpochMs < validFromEpochMs) log.warn(fields, 'TLS certificate not valid yet');
  }
}

/** Different whenever a file was written or replaced. A file that is missing has its own. */
async function lookOf({ cert, key }: CertificateFiles): Promise<string> {
  const looks = [cert, key].map(async (file) => {
    try {
      const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file);
      return [dev, ino, size, mtimeMs, ctimeMs].join(':');
    } catch {
      return 'missing';
    }
  });
  return (await Promise.all(looks)).join(' ');
}
