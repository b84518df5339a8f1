/**
 * Finds cameras over ONVIF: on the gateway's network, or at an address that the caller names. The streams that a camera
 * reports are stored as RTSP endpoints (rtsp-endpoint-service.ts), each untried until it is opened. The same limits apply
 * as to probes of RTSP cameras: they share their slots, and one discovery runs at a time.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import { ADDRESS_REFUSALS } from '../sources/network/camera-address.ts';
import type { TlsTrust } from '../sources/network/tls-trust.ts';
import type { Store } from '../store/store.ts';
import type { CameraProber } from './camera-prober.ts';
import type { DeviceService, NvrFilter } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { ReadOnvifClock } from './onvif-clocks.ts';
import type { OnvifTarget } from './onvif-target.ts';
import type { CameraPtz } from './ptz-camera.ts';
import type { RtspCredentials } from './rtsp-credentials.ts';
import type { OnvifAccess, OnvifReport, RtspLogin } from './rtsp-endpoint.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

/** A device that answered a discovery. */
export interface OnvifPresence {
  /** Its device service. */
  readonly service: URL;
  /** Its description of itself, if it sends one. Anyone on the network can write this text. */
  readonly name: string | null;
  readonly hardware: string | null;
}

/** A camera that a scan found. */
export interface ScannedCamera extends OnvifPresence {
  /** A camera of the organization is at its host. */
  readonly isKnown: boolean;
}

/** ONVIF on the network. */
export interface OnvifNetwork {
  /** The devices that respond in time. Fails ONVIF_UNREACHABLE. */
  discover(waitMs: number): Promise<OnvifPresence[]>;
  /** Fails with a code of ONVIF_ERRORS. */
  inspect(orgUuid: Ruuid, service: URL, access: OnvifAccess, timeoutMs: number): Promise<OnvifReport>;
  readonly readClock: ReadOnvifClock;
  readonly openPtz: (target: OnvifTarget) => CameraPtz;
}

const DISCOVERY_WAIT_MS = 2_000;
/** The time for all cameras of one discovery. Together with the wait, it is below the time that a response can take. */
const DISCOVERY_TIMEOUT_MS = 18_000;
/** The time for all logins of one camera. It leaves time to open the camera afterwards. */
const CAMERA_TIMEOUT_MS = 8_000;
/** How many cameras one discovery queries at a time. */
const REQUESTED_TOGETHER = 3;
/** Cameras lock accounts after many wrong passwords. */
const MAX_LOGINS_TRIED = 5;

/** The result of querying one camera. */
export type OnvifFinding =
  | { readonly kind: 'open'; readonly device: OnvifReport; readonly access: OnvifAccess }
  | { readonly kind: 'locked' }
  | { readonly kind: 'absent'; readonly error: GatewayError };

export interface DiscoveryOutcome {
  /** Cameras whose streams are now known. */
  readonly openCount: number;
  /** Cameras that require a login that is not saved. */
  readonly lockedHosts: readonly string[];
}

export interface OnvifDiscoveryOptions {
  readonly store: Pick<Store, 'cameras'>;
  readonly devices: Pick<DeviceService, 'filteredNvrs'>;
  readonly network: OnvifNetwork;
  readonly prober: CameraProber;
  readonly credentials: RtspCredentials;
  readonly endpoints: RtspEndpointService;
  readonly clock: Clock;
}

export class OnvifDiscovery {
  readonly #options: OnvifDiscoveryOptions;
  #isRunning = false;

  constructor(options: OnvifDiscoveryOptions) {
    this.#options = options;
  }

  /**
   * Probes the network, and requests the streams of every camera that responds, with the saved logins if it requires one, on behalf of the
   * NVRs that match the filter. Fails like `filteredNvrs`, and PROBES_BUSY, ONVIF_UNREACHABLE, TOO_MANY_RTSP_ENDPOINTS.
   */
  async discover(orgUuid: Ruuid, filter: NvrFilter): Promise<DiscoveryOutcome> {
    const nvrs = await this.#options.devices.filteredNvrs(orgUuid, filter);
    const locations = new Set(nvrs.map(({ locationUuid }) => locationUuid));
    // The gateway finds them, not an NVR: their location is clear only if there is just one.
    const [onlyPlace] = locations.size === 1 ? locations : [];
    const locationUuid = onlyPlace ?? undefined;
    return this.#alone(() => this.#discover(orgUuid, locationUuid));
  }

  /** The devices on the network, without further requests to them; by address. Fails PROBES_BUSY, ONVIF_UNREACHABLE. */
  async scan(orgUuid: Ruuid): Promise<ScannedCamera[]> {
    const { network, store, prober } = this.#options;
    await prober.spend(orgUuid);
    const found = await this.#alone(() => network.discover(DISCOVERY_WAIT_MS));
    const allowed = new Set(
      await this.#notOfOthers(
        orgUuid,
        found.map(({ service }) => service),
      ),
    );
    const own = new Set((await store.cameras.list(orgUuid)).map(({ rtspUrl }) => rtspUrl.hostname));
    const { compare } = new Intl.Collator('en', { numeric: true });
    return found
      .filter(({ service }) => allowed.has(service))
      .map((presence) => ({ ...presence, isKnown: own.has(presence.service.hostname) }))
      .sort((a, b) => compare(a.service.host, b.service.host));
  }

  /** One discovery of all runs at a time. Fails PROBES_BUSY. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isRunning) throw new GatewayError(DEVICE_ERRORS.PROBES_BUSY);
    this.#isRunning = true;
    try {
      return await work();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Queries the camera at an address that a caller names. Fails PROBES_TOO_OFTEN, PROBES_BUSY. */
  async inspectNamed(
    orgUuid: Ruuid,
    service: URL,
    logins: readonly (RtspLogin | null)[],
    tls: TlsTrust,
    timeoutMs = CAMERA_TIMEOUT_MS,
  ): Promise<OnvifFinding> {
    await this.#options.prober.spend(orgUuid);
    return this.inspect(orgUuid, service, logins, { tls, timeoutMs });
  }

  /** Queries the camera at an address. Fails PROBES_BUSY. */
  inspect(
    orgUuid: Ruuid,
    service: URL,
    logins: readonly (RtspLogin | null)[],
    { tls = 'any', timeoutMs = CAMERA_TIMEOUT_MS }: { readonly tls?: TlsTrust; readonly timeoutMs?: number },
  ): Promise<OnvifFinding> {
    const { prober, clock } = this.#options;
    const deadlineMonoMs = clock.monoMs() + timeoutMs;
    return prober.inSlot(orgUuid, async () => {
      let finding: OnvifFinding = { kind: 'locked' };
      for (const login of logins.slice(0, MAX_LOGINS_TRIED)) {
        const leftMs = deadlineMonoMs - clock.monoMs();
        if (leftMs <= 0) break;
        finding = await this.#ask(orgUuid, service, { login, tls }, leftMs);
        if (finding.kind !== 'locked') break;
      }
      return finding;
    });
  }

  async #discover(orgUuid: Ruuid, locationUuid: Ruuid | undefined): Promise<DiscoveryOutcome> {
    const { network, credentials, endpoints, clock } = this.#options;
    const deadlineMonoMs = clock.monoMs() + DISCOVERY_TIMEOUT_MS;
    const logins = [null, ...(await credentials.logins(orgUuid))];
    const found = await network.discover(DISCOVERY_WAIT_MS);
    const services = await this.#notOfOthers(
      orgUuid,
      found.map(({ service }) => service),
    );
    const lockedHosts: string[] = [];
    let openCount = 0;
    const queue = services.values();
    const work = async () => {
      for (const service of queue) {
        const leftMs = deadlineMonoMs - clock.monoMs();
        if (leftMs <= 0) return;
        const inspection = this.inspect(orgUuid, service, logins, {
          timeoutMs: Math.min(leftMs, CAMERA_TIMEOUT_MS),
        });
        const finding = await inspection.catch(absentIfRefused);
        if (finding.kind === 'locked') lockedHosts.push(service.hostname);
        if (finding.kind !== 'open') continue;
        openCount += 1;
        await endpoints.keepOnvif(orgUuid, finding.device, finding.access, locationUuid);
      }
    };
    // A failure waits for the others: the discovery ends when nothing of it is running.
    const ends = await Promise.allSettled(Array.from({ length: REQUESTED_TOGETHER }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return { openCount, lockedHosts };
  }

  /** Only their organization learns about its cameras, even on a shared network. */
  async #notOfOthers(orgUuid: Ruuid, services: readonly URL[]): Promise<URL[]> {
    if (services.length === 0) return [];
    const cameras = await this.#options.store.cameras.listEverywhere();
    const others = new Set(
      cameras.filter((camera) => camera.orgUuid !== orgUuid).map(({ rtspUrl }) => rtspUrl.hostname),
    );
    return services.filter(({ hostname }) => !others.has(hostname));
  }

  async #ask(orgUuid: Ruuid, service: URL, access: OnvifAccess, timeoutMs: number): Promise<OnvifFinding> {
    try {
      return {
        kind: 'open',
        device: await this.#options.network.inspect(orgUuid, service, access, timeoutMs),
        access,
      };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || !(thrown.code in ONVIF_ERRORS)) throw thrown;
      const isLocked = thrown.code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code;
      return isLocked ? { kind: 'locked' } : { kind: 'absent', error: thrown };
    }
  }
}

/** The network, not a caller, named the address: a camera outside the organization's networks does not hide the others. */
function absentIfRefused(thrown: unknown): OnvifFinding {
  if (thrown instanceof GatewayError && ADDRESS_REFUSALS.has(thrown.code)) {
    return { kind: 'absent', error: thrown };
  }
  throw thrown;
}
