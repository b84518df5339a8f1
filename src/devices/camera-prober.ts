/** Tries cameras for API callers: limited in number and time, with the given login and then the saved ones. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { RateLimiter } from '../counters/rate-limiter.ts';
import type { AddressClaim } from '../sources/network/camera-address.ts';
import type { TransportPreference } from '../sources/network/camera-route.ts';
import type { TlsTrust } from '../sources/network/tls-trust.ts';
import type { CameraProbe } from '../sources/probe.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { type RtspLogin, urlWithLogin } from './rtsp-endpoint.ts';

/** Where a camera may be, how it is opened, and what its certificate must prove. */
export interface ProbeReach {
  readonly rule: AddressClaim;
  readonly transport: TransportPreference;
  readonly tls: TlsTrust;
}

/** The reach of a camera that is only a URL yet. */
export function callersReach(orgUuid: Ruuid): ProbeReach {
  return { rule: { reach: 'no-local', orgUuid }, transport: 'auto', tls: 'any' };
}

/** Opens a camera once and reports its properties; never rejects. */
export type ProbeCamera = (url: CredentialUrl, timeoutMs: number, reach: ProbeReach) => Promise<CameraProbe>;

/**
 * How many cameras one organization can try per minute, and how many at the same time. An installer adds dozens. Someone who uses probes to
 * scan other people's ports wants thousands.
 */
export const PROBE_LIMIT: RateLimit = { burst: 60, perSec: 1 };
/** The time for one camera and one login. */
const PROBE_TIMEOUT_MS = 10_000;
/** The time for all logins of one call: below the time that a response can take. */
const CALL_TIMEOUT_MS = 20_000;
/** Cameras lock accounts after many wrong passwords. */
const MAX_LOGINS_TRIED = 10;

/** How a camera was last tried. */
export interface ProbeOutcome {
  readonly probe: CameraProbe;
  /** The login of that attempt; null: none. */
  readonly login: RtspLogin | null;
}

export class CameraProber {
  readonly #probeCamera: ProbeCamera;
  readonly #clock: Clock;
  readonly #places = new Pool(LIMITS.cameraProbes);
  readonly #limiter: RateLimiter;

  constructor(probeCamera: ProbeCamera, clock: Clock, limiter: RateLimiter) {
    this.#probeCamera = probeCamera;
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /** Call this before trying an address that a caller names; known cameras do not count. Fails PROBES_TOO_OFTEN. */
  async spend(orgUuid: Ruuid): Promise<void> {
    const { isAllowed, retryAfterSec } = await this.#limiter.take(orgUuid);
    if (!isAllowed) throw new GatewayError(DEVICE_ERRORS.PROBES_TOO_OFTEN, { retryAfterSec });
  }

  /**
   * Tries one login after the other until the camera does not require another. Fails PROBES_BUSY.
   */
  probe(
    orgUuid: Ruuid,
    rtspUrl: string,
    logins: readonly (RtspLogin | null)[],
    reach: ProbeReach,
  ): Promise<ProbeOutcome> {
    return this.inSlot(orgUuid, () => this.#tryLogins(rtspUrl, logins.slice(0, MAX_LOGINS_TRIED), reach));
  }

  /** Talks to a camera, in one of the slots for simultaneous probes. Fails PROBES_BUSY. */
  async inSlot<T>(orgUuid: Ruuid, work: () => Promise<T>): Promise<T> {
    const place = this.#places.take({ organization: orgUuid });
    if (!place.isTaken) throw new GatewayError(DEVICE_ERRORS.PROBES_BUSY, { boundOf: place.level });
    try {
      return await work();
    } finally {
      place.giveBack();
    }
  }

  async #tryLogins(
    rtspUrl: string,
    logins: readonly (RtspLogin | null)[],
    reach: ProbeReach,
  ): Promise<ProbeOutcome> {
    const deadlineMonoMs = this.#clock.monoMs() + CALL_TIMEOUT_MS;
    const [first = null, ...others] = logins;
    const once = (login: RtspLogin | null) => this.#once(rtspUrl, login, deadlineMonoMs, reach);
    let outcome = await once(first);
    for (const login of others) {
      if (outcome.probe.status !== 'NOT_AUTHENTICATED' || this.#clock.monoMs() >= deadlineMonoMs) break;
      outcome = await once(login);
    }
    return outcome;
  }

  async #once(
    rtspUrl: string,
    login: RtspLogin | null,
    deadlineMonoMs: number,
    reach: ProbeReach,
  ): Promise<ProbeOutcome> {
    const timeoutMs = Math.min(PROBE_TIMEOUT_MS, deadlineMonoMs - this.#clock.monoMs());
    return { probe: await this.#probeCamera(urlWithLogin(rtspUrl, login), timeoutMs, reach), login };
  }
}
