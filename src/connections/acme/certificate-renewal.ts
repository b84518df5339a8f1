/**
 * Keeps the certificate of an ACME server current: orders the first one, and the next ones in time. Whatever fails, the
 * certificate in use stays, and the next attempt is later. State of the attempts survives restarts.
 */

import { X509Certificate } from 'node:crypto';
import { CautiousClock } from '../../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type ListenerCertificate, readCertificate } from '../certificate.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import type { AcmeFiles } from './acme-files.ts';
import { AcmeRefusal } from './acme-transport.ts';
import { expectWanted, isFor } from './issued-certificate.ts';
import {
  attemptDelayMs,
  type HeldCertificate,
  MAX_RETRY_AFTER_MS,
  type RenewalRecord,
  requestedDelayMs,
} from './renewal-schedule.ts';
import { type CertificateWithKey, createSelfSigned } from './self-signed.ts';

export interface CertificateRenewalOptions {
  readonly domains: readonly string[];
  readonly files: AcmeFiles;
  readonly order: (signal: AbortSignal) => Promise<CertificateWithKey>;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface RenewalState {
  /** Until the ACME server has issued one, the certificate is the gateway's own, which no client trusts. */
  readonly isSelfSigned: boolean;
  /** How many of the configured domains the certificate in use is not for. */
  readonly missingDomains: number;
  /** Why the last attempt failed; null: it did not. */
  readonly failure: string | null;
}

interface Held extends HeldCertificate, Omit<RenewalState, 'failure'> {}

/** Clocks are set, and machines sleep: the time of the next attempt is computed again this often. */
const LOOK_MS = 3_600_000;

export class CertificateRenewal {
  readonly #options: CertificateRenewalOptions;
  readonly #wallClock: CautiousClock;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #held: Held;
  #record: RenewalRecord;
  #jitter: number;
  /** By the clock that cannot be set. */
  #dueMonoMs = 0;
  /** null: an attempt is on its way. */
  #timer: TimerHandle | null = null;
  #attempt: Promise<void> = Promise.resolve();

  private constructor(
    options: CertificateRenewalOptions,
    current: ListenerCertificate,
    record: RenewalRecord,
  ) {
    this.#options = options;
    this.#wallClock = new CautiousClock(options.clock);
    this.#held = heldOf(current, options.domains);
    this.#record = record;
    this.#jitter = options.random();
    this.#plan();
    const waitMs = this.#delayMs();
    if (waitMs > 0 && (record.failures > 0 || !this.#held.isWanted)) {
      options.log.warn({ ...this.#fields(waitMs), failure: record.failure }, 'certificate order postponed');
    }
  }

  /** After it, there is a certificate. Begins to order one if it is time. Fails ACME_FILES_UNAVAILABLE or TLS_FILE_UNREADABLE. */
  static async open(options: CertificateRenewalOptions): Promise<CertificateRenewal> {
    const record = await options.files.readRecord();
    return new CertificateRenewal(options, await readOrCreate(options), record);
  }

  get state(): RenewalState {
    const { isSelfSigned, missingDomains } = this.#held;
    return { isSelfSigned, missingDomains, failure: this.#record.failure };
  }

  /** Called after a new certificate is in its file. */
  onRenewed(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Orders the certificate now if an earlier order failed, or if it is not the configured one. Not within seconds of the last attempt, and
   * not before the time that the ACME server gave.
   */
  retry(): void {
    if (this.#timer === null || this.#ending.signal.aborted) return;
    if (this.#record.failures === 0 && this.#held.isWanted) return;
    const { clock, log } = this.#options;
    const waitMs = requestedDelayMs(this.#record, this.#wallClock.epochMs());
    this.#dueMonoMs = Math.min(this.#dueMonoMs, clock.monoMs() + waitMs);
    this.#timer.cancel();
    this.#wait();
    log.info(this.#fields(waitMs), 'certificate order requested');
  }

  /** Ends an attempt that is on its way. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#timer?.cancel();
    this.#listeners.clear();
    await this.#attempt;
  }

  /** Something happened that changes when the next attempt is. */
  #plan(): void {
    this.#dueMonoMs = this.#options.clock.monoMs() + this.#delayMs();
    this.#wait();
  }

  /** The monotonic clock is used too, so that a wall clock that is frozen or goes backward cannot postpone the renewal forever. */
  #wait(): void {
    const { clock } = this.#options;
    if (this.#ending.signal.aborted) return;
    const delayMs = Math.min(this.#dueMonoMs - clock.monoMs(), this.#delayMs());
    this.#timer = clock.after(Math.min(delayMs, LOOK_MS), () => {
      this.#timer = null;
      if (delayMs > LOOK_MS) this.#wait();
      else this.#attempt = this.#renew().finally(() => this.#plan());
    });
  }

  #delayMs(): number {
    return attemptDelayMs(this.#held, this.#record, this.#wallClock.epochMs(), this.#jitter);
  }

  async #renew(): Promise<void> {
    const { clock, files, domains, order } = this.#options;
    const { signal } = this.#ending;
    this.#jitter = this.#options.random();
    const attempt = { ...this.#record, attemptedAtEpochMs: clock.epochMs(), retryAfterMs: 0 };
    // Recorded before the order, as if it failed: a process that ends during it must not order again immediately.
    this.#record = { ...attempt, failures: this.#record.failures + 1 };
    try {
      await files.writeRecord(this.#record);
      await files.writeCertificate(expectWanted(await order(signal), domains));
      this.#held = heldOf(await readStored(files), domains);
    } catch (thrown) {
      if (!signal.aborted) await this.#failed(toGatewayError(thrown));
      return;
    }
    await this.#renewed({ ...attempt, failures: 0, failure: null, issuedAtEpochMs: clock.epochMs() });
  }

  async #renewed(record: RenewalRecord): Promise<void> {
    const { files, log, domains } = this.#options;
    this.#record = record;
    try {
      await files.writeRecord(record);
    } catch (thrown) {
      // The certificate exists all the same. After a restart, the record is that of a failure: the next order waits longer.
      log.warn({ err: toGatewayError(thrown) }, 'certificate renewal not recorded');
    }
    const validTo = new Date(this.#held.validToEpochMs).toISOString();
    log.info({ domains, validTo }, 'certificate renewed');
    for (const listener of this.#listeners) listener();
  }

  async #failed(failure: GatewayError): Promise<void> {
    const { files, log, clock } = this.#options;
    const retryAfterMs = failure instanceof AcmeRefusal ? retryAfterOf(failure, clock.epochMs()) : 0;
    this.#record = { ...this.#record, retryAfterMs, failure: failure.code };
    // If it cannot be written, the record from before the order is stored, or the disk failed.
    await files.writeRecord(this.#record).catch(() => undefined);
    const waitMs = attemptDelayMs(this.#held, this.#record, clock.epochMs(), this.#jitter);
    log.error({ ...this.#fields(waitMs), err: failure }, 'certificate not renewed');
  }

  #fields(waitMs: number): object {
    const { isSelfSigned } = this.#held;
    return { domains: this.#options.domains, isSelfSigned, retryInSec: Math.round(waitMs / 1_000) };
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterOf({ retryAfter }: AcmeRefusal, nowEpochMs: number): number {
  if (retryAfter === null) return 0;
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowEpochMs;
  return ms > 0 ? Math.min(Math.round(ms), MAX_RETRY_AFTER_MS) : 0;
}

/** The stored certificate, or a self-signed one in place of one that is missing or damaged. */
async function readOrCreate({
  files,
  domains,
  clock,
  log,
}: CertificateRenewalOptions): Promise<ListenerCertificate> {
  try {
    return await readStored(files);
  } catch (thrown) {
    const failure = toGatewayError(thrown);
    const isMissing = failure.context.reason === 'ENOENT';
    // It may be a good certificate that cannot be read today.
    if (!isMissing && failure.code === CONNECTION_ERRORS.TLS_FILE_UNREADABLE.code) throw failure;
    if (!isMissing) log.warn({ err: failure }, 'stored certificate replaced');
  }
  await files.writeCertificate(createSelfSigned(domains, clock.epochMs()));
  log.warn({ domains }, 'self-signed certificate created');
  return readStored(files);
}

function readStored({ certificate }: AcmeFiles): Promise<ListenerCertificate> {
  return readCertificate({ cert: certificate, key: certificate });
}

function heldOf(
  { certPem, validFromEpochMs, validToEpochMs }: ListenerCertificate,
  domains: readonly string[],
): Held {
  const certificate = new X509Certificate(certPem);
  const isSelfSigned = certificate.checkIssued(certificate);
  const missingDomains = domains.filter((domain) => !isFor(certificate, domain)).length;
  return {
    validFromEpochMs,
    validToEpochMs,
    isSelfSigned,
    missingDomains,
    isWanted: !isSelfSigned && missingDomains === 0,
  };
}
