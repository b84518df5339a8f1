/** Cameras for tests of what uses ONVIF: each responds at its address as configured. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { OnvifNetwork, OnvifPresence } from './onvif-discovery.ts';
import type { OnvifTarget } from './onvif-target.ts';
import type { CameraPtz } from './ptz-camera.ts';
import type { OnvifAccess, OnvifReport, OnvifReportedStream, RtspLogin } from './rtsp-endpoint.ts';

export interface FakeOnvifCamera {
  /** `user:password`; absent: it requires none. */
  readonly login?: string;
  readonly device: Pick<OnvifReport, 'manufacturer' | 'model'> & {
    readonly streams: readonly (Pick<OnvifReportedStream, 'profileToken' | 'codec' | 'rtspUrl'> &
      Partial<OnvifReportedStream>)[];
    /** Absent: none. */
    readonly channels?: OnvifReport['channels'];
  };
  /** Absent: it does not report it. */
  readonly clockOffsetMs?: number;
  /** Absent: it cannot be moved. */
  readonly ptz?: CameraPtz;
}

const NO_SPACES = { CONTINUOUS: null, RELATIVE: null, ABSOLUTE: null };
const done = async () => undefined;

/** A camera that follows every command. */
export const OBEDIENT_CAMERA: FakeOnvifCamera = {
  device: { manufacturer: null, model: null, streams: [] },
  ptz: {
    move: done,
    stop: done,
    gotoPreset: done,
    removePreset: done,
    setPreset: async () => '1',
    state: async () => ({
      node: { token: 'node', panTilt: NO_SPACES, zoom: NO_SPACES, maxPresets: 0 },
      position: null,
      moveStatus: 'IDLE',
      presets: [],
    }),
  },
};

export class FakeOnvifCameras implements OnvifNetwork {
  /** By host, with its port unless that is 80. All of them respond to a discovery. */
  readonly byHost = new Map<string, FakeOnvifCamera>();
  /** The network to query instead, for tests with cameras that listen; null: the ones above. */
  network: Partial<OnvifNetwork> | null = null;

  async discover(waitMs: number): Promise<OnvifPresence[]> {
    if (this.network?.discover !== undefined) return this.network.discover(waitMs);
    return [...this.byHost.keys()].map((host) => ({
      service: new URL(`http://${host}/onvif/device_service`),
      name: `Camera at ${host}`,
      hardware: null,
    }));
  }

  async inspect(orgUuid: Ruuid, service: URL, access: OnvifAccess, timeoutMs: number): Promise<OnvifReport> {
    if (this.network?.inspect !== undefined) {
      return this.network.inspect(orgUuid, service, access, timeoutMs);
    }
    const { device } = this.#reached(service, access.login);
    const streams = device.streams.map((stream) => ({
      substreamUrl: null,
      widthPx: null,
      heightPx: null,
      ...stream,
    }));
    return { channels: [], ...device, service: service.href, streams };
  }

  readonly readClock = async ({ service }: OnvifTarget): Promise<number | null> =>
    this.#reached(service, null, false).clockOffsetMs ?? null;

  readonly openPtz = (target: OnvifTarget): CameraPtz => {
    if (this.network?.openPtz !== undefined) return this.network.openPtz(target);
    const ptz = () => {
      const camera = this.#reached(target.service, target.login);
      if (camera.ptz === undefined) throw new GatewayError(ONVIF_ERRORS.ONVIF_PTZ_MISSING);
      return camera.ptz;
    };
    return {
      state: async (signal) => ptz().state(signal),
      move: async (...move) => ptz().move(...move),
      stop: async (signal) => ptz().stop(signal),
      gotoPreset: async (token, signal) => ptz().gotoPreset(token, signal),
      setPreset: async (...preset) => ptz().setPreset(...preset),
      removePreset: async (token, signal) => ptz().removePreset(token, signal),
    };
  };

  #reached({ host }: URL, login: RtspLogin | null, isLoginNeeded = true): FakeOnvifCamera {
    const camera = this.byHost.get(host);
    if (camera === undefined) throw new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE);
    const given = login === null ? undefined : `${login.username}:${login.password.reveal()}`;
    if (isLoginNeeded && camera.login !== undefined && camera.login !== given) {
      throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED);
    }
    return camera;
  }
}
