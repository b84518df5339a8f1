/** In which networks an organization's cameras may be: what its administrators state, and which cameras are outside. */

import { isIP } from 'node:net';
import { GatewayError } from '../core/errors.ts';
import { isNetwork } from '../core/ip-address.ts';
import { inOrderOfNames } from '../core/name-order.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { mapInSlices } from '../core/sliced-work.ts';
import { type AddressNetworks, networksWithout } from '../sources/network/camera-address.ts';
import { DIRECT_ERRORS } from '../sources/network/errors.ts';
import type { Camera } from '../store/entities.ts';
import { isPushed } from '../store/pushed-address.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { CameraStates } from './device-states.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { isOperatorsCamera } from './operators-camera.ts';
import type { OrganizationNetworks } from './organization-networks.ts';

/** The party whose networks a camera is outside of. */
export type NetworkRule = keyof AddressNetworks;

export interface CameraOutside {
  readonly cameraUuid: Ruuid;
  readonly name: string;
  /** The first of its hosts that is outside: an address, or a name that resolved to one. */
  readonly host: string;
  readonly rule: NetworkRule;
}

export interface CameraNetworksOptions {
  readonly store: Pick<Store, 'organizations' | 'cameras'>;
  readonly networks: OrganizationNetworks;
  readonly cameraStates: CameraStates;
}

const RULE_BY_CODE: ReadonlyMap<string, NetworkRule> = new Map([
  [DIRECT_ERRORS.DIRECT_OUTSIDE_ORGANIZATION_NETWORKS.code, 'organization'],
  [DIRECT_ERRORS.DIRECT_OUTSIDE_OPERATOR_NETWORKS.code, 'operator'],
]);

export class CameraNetworks {
  readonly #options: CameraNetworksOptions;

  constructor(options: CameraNetworksOptions) {
    this.#options = options;
  }

  of(orgUuid: Ruuid): AddressNetworks {
    const { networks } = this.#options;
    return { operator: networks.operator, organization: networks.of(orgUuid) };
  }

  /** Holds for the next connection to each camera. Fails CAMERA_NETWORK_INVALID, with its index. */
  async state(orgUuid: Ruuid, wanted: readonly string[]): Promise<void> {
    const index = wanted.findIndex((network) => !isNetwork(network));
    if (index >= 0) throw new GatewayError(DEVICE_ERRORS.CAMERA_NETWORK_INVALID, { index });
    const { store, networks } = this.#options;
    await store.organizations.change(orgUuid, { cameraNetworks: wanted });
    networks.put(orgUuid, wanted);
  }

  /**
   * The cameras that are not opened because of these networks, by name. A camera at a host name counts if the gateway was
   * refused its address when it last opened it.
   */
  async outside(orgUuid: Ruuid): Promise<CameraOutside[]> {
    const { store, cameraStates } = this.#options;
    const networks = this.of(orgUuid);
    const cameras = (await store.cameras.list(orgUuid)).filter(
      (camera) => !camera.mummified && !isOperatorsCamera(camera),
    );
    const found = await mapInSlices(await inOrderOfNames(cameras), (camera): CameraOutside | null => {
      const place = placeOutside(camera, networks) ?? placeSeen(cameraStates.get(camera.uuid));
      return place === null ? null : { cameraUuid: camera.uuid, name: camera.name, ...place };
    });
    return found.filter((each) => each !== null);
  }
}

type Place = Pick<CameraOutside, 'host' | 'rule'>;

function placeOutside({ rtspUrl, substreamUrl, onvifUrl }: Camera, networks: AddressNetworks): Place | null {
  for (const url of [rtspUrl, substreamUrl, onvifUrl]) {
    if (url === null || isPushed(url) || isIP(url.hostname) === 0) continue;
    const rule = networksWithout(url.hostname, networks);
    if (rule !== null) return { host: url.hostname, rule };
  }
  return null;
}

function placeSeen(report: CameraReport | undefined): Place | null {
  for (const connection of [report?.main, report?.sub]) {
    const fault = connection?.fault ?? null;
    const rule = fault === null ? undefined : RULE_BY_CODE.get(fault.code);
    if (rule !== undefined) return { host: fault?.host ?? '', rule };
  }
  return null;
}
