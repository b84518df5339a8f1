/**
 * Finding cameras over ONVIF: in the gateway's network, or at an address that the caller names. What a camera tells of its
 * streams is kept as RTSP endpoints (rtsp-endpoint-service.ts), each untried until it is opened. Bounded as the tries of
 * RTSP cameras are: they share their slots, and one discovery runs at a time.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { OnvifDevice } from '../sources/onvif/onvif-device.ts';
import type { Store } from '../store/store.ts';
import type { CameraProber } from './camera-prober.ts';
import type { DeviceService, NvrFilter } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { RtspCredentials } from './rtsp-credentials.ts';
import type { RtspLogin } from './rtsp-endpoint.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

/** ONVIF as the network has it. */
export interface OnvifNetwork {
  /** Device services that answer within the time. Fails ONVIF_UNREACHABLE. */
  discover(waitMs: number): Promise<URL[]>;
  /** Fails with a code of ONVIF_ERRORS. */
  inspect(service: URL, login: RtspLogin | null, timeoutMs: number): Promise<OnvifDevice>;
}

const DISCOVERY_WAIT_MS = 2_000;
/** All cameras of one discovery: with the wait below the time that an answer may take. */
const DISCOVERY_TIMEOUT_MS = 18_000;
/** All logins of one camera: leaves time to open it afterwards. */
const CAMERA_TIMEOUT_MS = 8_000;
/** Cameras that one discovery asks at a time. */
const ASKED_AT_ONCE = 3;
/** Cameras lock accounts out after many wrong passwords. */
const MAX_LOGINS_TRIED = 5;

/** How asking one camera went. */
export type OnvifFinding =
  | { readonly kind: 'open'; readonly device: OnvifDevice; readonly login: RtspLogin | null }
  | { readonly kind: 'locked' }
  | { readonly kind: 'absent'; readonly error: GatewayError };

export interface DiscoveryOutcome {
  /** Cameras whose streams are known now. */
  readonly openCount: number;
  /** Cameras that ask for a login that is not among the saved ones. */
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
   * Asks the network, and every camera that answers for its streams, with the saved logins where it wants one; on behalf
   * of the NVRs that the filter leaves. Fails as `filteredNvrs` does, and PROBES_BUSY, ONVIF_UNREACHABLE,
   * TOO_MANY_RTSP_ENDPOINTS.
   */
  async discover(orgUuid: Ruuid, filter: NvrFilter): Promise<DiscoveryOutcome> {
    const nvrs = await this.#options.devices.filteredNvrs(orgUuid, filter);
    const locations = new Set(nvrs.map(({ locationUuid }) => locationUuid));
    // Found by the gateway, not by an NVR: where they are is clear only when there is one place.
    const [onlyPlace] = locations.size === 1 ? locations : [];
    const locationUuid = onlyPlace ?? undefined;
    if (this.#isRunning) throw new GatewayError(DEVICE_ERRORS.PROBES_BUSY);
    this.#isRunning = true;
    try {
      return await this.#discover(orgUuid, locationUuid);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Asks the camera at an address that a caller names. Fails PROBES_TOO_OFTEN, PROBES_BUSY. */
  async inspectNamed(
    orgUuid: Ruuid,
    service: URL,
    logins: readonly (RtspLogin | null)[],
  ): Promise<OnvifFinding> {
    await this.#options.prober.spend(orgUuid);
    return this.inspect(orgUuid, service, logins);
  }

  /** Asks the camera at an address. Fails PROBES_BUSY. */
  inspect(
    orgUuid: Ruuid,
    service: URL,
    logins: readonly (RtspLogin | null)[],
    timeoutMs = CAMERA_TIMEOUT_MS,
  ): Promise<OnvifFinding> {
    const { prober, clock } = this.#options;
    const deadlineMonoMs = clock.monoMs() + Math.min(timeoutMs, CAMERA_TIMEOUT_MS);
    return prober.inSlot(orgUuid, async () => {
      let finding: OnvifFinding = { kind: 'locked' };
      for (const login of logins.slice(0, MAX_LOGINS_TRIED)) {
        const leftMs = deadlineMonoMs - clock.monoMs();
        if (leftMs <= 0) break;
        finding = await this.#ask(service, login, leftMs);
        if (finding.kind !== 'locked') break;
      }
      return finding;
    });
  }

  async #discover(orgUuid: Ruuid, locationUuid: Ruuid | undefined): Promise<DiscoveryOutcome> {
    const { network, credentials, endpoints, clock } = this.#options;
    const deadlineMonoMs = clock.monoMs() + DISCOVERY_TIMEOUT_MS;
    const logins = [null, ...(await credentials.logins(orgUuid))];
    const services = await this.#notOfOthers(orgUuid, await network.discover(DISCOVERY_WAIT_MS));
    const lockedHosts: string[] = [];
    let openCount = 0;
    const queue = services.values();
    const work = async () => {
      for (const service of queue) {
        const leftMs = deadlineMonoMs - clock.monoMs();
        if (leftMs <= 0) return;
        const finding = await this.inspect(orgUuid, service, logins, leftMs);
        if (finding.kind === 'locked') lockedHosts.push(service.hostname);
        if (finding.kind !== 'open') continue;
        openCount += 1;
        await endpoints.keepOnvif(orgUuid, finding.device, finding.login, locationUuid);
      }
    };
    // A failure waits for the others: the discovery is over when nothing of it runs any more.
    const ends = await Promise.allSettled(Array.from({ length: ASKED_AT_ONCE }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return { openCount, lockedHosts };
  }

  /** Cameras of other organisations are theirs to know about, also in a network that is shared. */
  async #notOfOthers(orgUuid: Ruuid, services: readonly URL[]): Promise<URL[]> {
    if (services.length === 0) return [];
    const cameras = await this.#options.store.cameras.listEverywhere();
    const others = new Set(
      cameras.filter((camera) => camera.orgUuid !== orgUuid).map(({ rtspUrl }) => rtspUrl.hostname),
    );
    return services.filter(({ hostname }) => !others.has(hostname));
  }

  async #ask(service: URL, login: RtspLogin | null, timeoutMs: number): Promise<OnvifFinding> {
    try {
      return { kind: 'open', device: await this.#options.network.inspect(service, login, timeoutMs), login };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || !(thrown.code in ONVIF_ERRORS)) throw thrown;
      const isLocked = thrown.code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code;
      return isLocked ? { kind: 'locked' } : { kind: 'absent', error: thrown };
    }
  }
}
