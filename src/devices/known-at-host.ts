/** Cameras that the organization already has at one host, by their addresses: what a device need not be added again for. Pure. */

import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { Camera } from '../store/entities.ts';

export interface KnownAtHost {
  /** The camera with this address of a stream; null: there is none. */
  cameraAt(streamUrl: string): Ruuid | null;
  /** The NVR that most of the cameras there are behind, the first of several; null: none. */
  readonly nvrUuid: Ruuid | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'rtsp:': '554', 'rtsps:': '322' };

export function knownAtHost(cameras: readonly Camera[], hostname: string): KnownAtHost {
  const atHost = cameras.filter(
    (camera) => !camera.mummified && hostOf(camera.rtspUrl.redacted()) === hostname,
  );
  const byAddress = new Map<string, Ruuid>();
  for (const { uuid, rtspUrl, substreamUrl } of atHost) {
    for (const url of [rtspUrl, substreamUrl]) if (url !== null) byAddress.set(addressOf(url), uuid);
  }
  return {
    cameraAt: (streamUrl) =>
      URL.canParse(streamUrl) ? (byAddress.get(addressOfUrl(new URL(streamUrl))) ?? null) : null,
    nvrUuid: mostUsed(atHost.flatMap(({ nvrUuid }) => nvrUuid ?? [])),
  };
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}

function addressOf(url: CredentialUrl): string {
  return addressOfUrl(new URL(url.redacted()));
}

/** Without login and usual port: programs write them or not. */
function addressOfUrl({ protocol, hostname, port, pathname, search }: URL): string {
  return `${protocol}//${hostname}:${port || DEFAULT_PORTS[protocol]}${pathname}${search}`;
}

function mostUsed(uuids: readonly Ruuid[]): Ruuid | null {
  const counts = [...Map.groupBy(uuids, (uuid) => uuid)].map(([uuid, same]) => ({
    uuid,
    count: same.length,
  }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.uuid ?? null;
}
