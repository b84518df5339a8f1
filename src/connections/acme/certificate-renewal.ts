/**
 * Keeps the certificate of an ACME server current: orders the first one, and the next ones in time. Whatever fails, the
 * certificate in use stays, and the next attempt is later. State of the attempts survives restarts.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { CautiousClock } from '../../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type ListenerCertificate, readCertificate } from '../certificate.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import type { AcmeFiles } from './acme-files.ts';
import { AcmeRefusal } from './acme-transport.ts';
import {
  attemptDelayMs,
  type HeldCertificate,
  MAX_RETRY_AFTER_MS,
  type RenewalRecord,
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
  /** Why the last attempt failed; null: it did not. */
  readonly failure: string | null;
}

/** Clocks are set, and machines sleep: the time of the next attempt is computed again this often. */
const LOOK_MS = 3_600_000;

export class CertificateRenewal {
  readonly #options: CertificateRenewalOptions;
  readonly #wallClock: CautiousClock;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #held: HeldCertificate & { readonly isSelfSigned: boolean };
  #record: RenewalRecord;
  #jitter: number;
  /** By the clock that cannot be set. */
  #dueMonoMs = 0;
  #failure: string | null = null;
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
  }

  /** After it, there is a certificate. Begins to order one if it is time. Fails ACME_FILES_UNAVAILABLE. */
  static async open(options: CertificateRenewalOptions): Promise<CertificateRenewal> {
    const record = await options.files.readRecord();
    return new CertificateRenewal(options, await readOrCreate(options), record);
  }

  get state(): RenewalState {
    return { isSelfSigned: this.#held.isSelfSigned, failure: this.#failure };
  }

  /** Called after a new certificate is in its file. */
  onRenewed(listener: () => void): void {
    this.#listeners.add(listener);
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

  /** The monotonic clock keeps a wall clock that stands still or goes back from putting it off forever. */
  #wait(): void {
    const { clock } = this.#options;
    if (this.#ending.signal.aborted) return;
    const delayMs = Math.min(this.#dueMonoMs - clock.monoMs(), this.#delayMs());
    this.#timer = clock.after(Math.min(delayMs, LOOK_MS), () => {
      if (delayMs > LOOK_MS) this.#wait();
      else this.#attempt = this.#renew().finally(() => this.#plan());
    });
  }

  #delayMs(): number {
    return attemptDelayMs(this.#held, this.#record, this.#wallClock.epochMs(), this.#jitter);
  }

  async #renew(): Promise<void> {
    const { clock, log, files, domains, order } = this.#options;
    const { signal } = this.#ending;
    this.#jitter = this.#options.random();
    const attempt = { ...this.#record, attemptedAtEpochMs: clock.epochMs(), retryAfterMs: 0 };
    // Before the order, as if it failed: a process that ends during it must not ask again at once.
    this.#record = { ...attempt, failures: this.#record.failures + 1 };
    try {
      await files.writeRecord(this.#record);
      const issued = await order(signal);
      expectWanted(issued, domains);
      await files.writeCertificate(issued);
      this.#held = heldOf(
        await readCertificate({ cert: files.certificate, key: files.certificate }),
        domains,
      );
      this.#failure = null;
      this.#record = { ...attempt, failures: 0, issuedAtEpochMs: clock.epochMs() };
      await files.writeRecord(this.#record);
      const validTo = new Date(this.#held.validToEpochMs).toISOString();
      log.info({ domains, validTo }, 'certificate renewed');
      for (const listener of this.#listeners) listener();
    } catch (thrown) {
      if (!signal.aborted) await this.#failed(toGatewayError(thrown));
    }
  }

  async #failed(failure: GatewayError): Promise<void> {
    const { files, log, domains, clock } = this.#options;
    this.#failure = failure.code;
    const retryAfterMs = failure instanceof AcmeRefusal ? retryAfterOf(failure, clock.epochMs()) : 0;
    this.#record = { ...this.#record, retryAfterMs };
    // If it cannot be written, the one from before the order is there, or the disk is what failed.
    await files.writeRecord(this.#record).catch(() => undefined);
    const waitMs = attemptDelayMs(this.#held, this.#record, clock.epochMs(), this.#jitter);
    const fields = { domains, isSelfSigned: this.#held.isSelfSigned, retryInSec: Math.round(waitMs / 1_000) };
    log.error({ ...fields, err: failure }, 'certificate not renewed');
  }
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterOf({ retryAfter }: AcmeRefusal, nowEpochMs: number): number {
  if (retryAfter === null) return 0;
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowEpochMs;
  return ms > 0 ? Math.min(Math.round(ms), MAX_RETRY_AFTER_MS) : 0;
}

/** The stored certificate, or a self-signed one that is stored in its place. */
async function readOrCreate({
  files,
  domains,
  clock,
  log,
}: CertificateRenewalOptions): Promise<ListenerCertificate> {
  const both = { cert: files.certificate, key: files.certificate };
  try {
    return await readCertificate(both);
  } catch (thrown) {
    const failure = toGatewayError(thrown);
    if (failure.context.reason !== 'ENOENT') log.warn({ err: failure }, 'stored certificate replaced');
  }
  await files.writeCertificate(createSelfSigned(domains, clock.epochMs()));
  log.warn({ domains }, 'self-signed certificate created');
  return readCertificate(both);
}

function heldOf(
  { certPem, validFromEpochMs, validToEpochMs }: ListenerCertificate,
  domains: readonly string[],
) {
  const certificate = new X509Certificate(certPem);
  const isSelfSigned = certificate.checkIssued(certificate);
  return {
    validFromEpochMs,
    validToEpochMs,
    isSelfSigned,
    isWanted: !isSelfSigned && isFor(certificate, domains),
  };
}

function isFor(certificate: X509Certificate, domains: readonly string[]): boolean {
  return domains.every((domain) => certificate.checkHost(domain, { subject: 'never' }) !== undefined);
}

/** What would not be a certificate of the listener must not replace one that is. */
function expectWanted({ certPem, keyPem }: CertificateWithKey, domains: readonly string[]): void {
  const invalid = (reason: string) =>
    new GatewayError(CONNECTION_ERRORS.ACME_CERTIFICATE_INVALID, { reason });
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(certPem);
  } catch {
    throw invalid('not a certificate');
  }
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) throw invalid('another key');
  if (!isFor(certificate, domains)) throw invalid('other domains');
}
