/** Cameras for tests of what uses ONVIF: each responds at its address as configured. */

import { GatewayError } from '../core/errors.ts';
import { ONVIF_ERRORS } from '../onvif/errors.ts';
import type { OnvifDevice } from '../sources/onvif/onvif-device.ts';
import type { OnvifNetwork } from './onvif-discovery.ts';
import type { RtspLogin } from './rtsp-endpoint.ts';

export interface FakeOnvifCamera {
  /** `user:password`; absent: it requires none. */
  readonly login?: string;
  readonly device: OnvifDevice;
}

export class FakeOnvifCameras implements OnvifNetwork {
  /** By host, with its port unless that is 80. All of them respond to a discovery. */
  readonly byHost = new Map<string, FakeOnvifCamera>();
  /** What is queried instead, for tests with cameras that listen; null: the ones above. */
  network: OnvifNetwork | null = null;

  async discover(waitMs: number): Promise<URL[]> {
    if (this.network !== null) return this.network.discover(waitMs);
    return [...this.byHost.keys()].map((host) => new URL(`http://${host}/onvif/device_service`));
  }

  async inspect(service: URL, login: RtspLogin | null, timeoutMs: number): Promise<OnvifDevice> {
    if (this.network !== null) return this.network.inspect(service, login, timeoutMs);
    const camera = this.byHost.get(service.host);
    if (camera === undefined) throw new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE);
    const given = login === null ? undefined : `${login.username}:${login.password.reveal()}`;
    if (camera.login !== undefined && camera.login !== given) {
      throw new GatewayError(ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED);
    }
    return camera.device;
  }
}
