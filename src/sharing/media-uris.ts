/** Where callers with a key or a federated session find a device's media (docs/design/access.md#devices). */

import type { Ruuid } from '../core/ruuid.ts';

/**
 * The media of a device, and their path under `/media/<deviceUuid>/<region>/`. null: the front door does not serve it yet, so it is not
 * offered. Media that begin to work are enabled here and nowhere else. Templates of past video contain `{START_TIME}`, epoch seconds, and
 * `{DURATION}`, seconds.
 */
export const MEDIA_PATHS = {
  liveM3u8: 'file.m3u8',
  liveMpd: 'file.mpd',
  liveH264: 'ws',
  liveOpus: 'opus/ws',
  vodM3u8: 'vod/{START_TIME}/{DURATION}/file.m3u8',
  vodMpd: 'vod/{START_TIME}/{DURATION}/file.mpd',
  vodH264: null,
} as const satisfies Readonly<Record<string, string | null>>;

export type MediaKind = keyof typeof MEDIA_PATHS;

/** Kinds that are WebSockets: clients of this API family expect the scheme `ws` or `wss`. */
const SOCKET_KINDS: ReadonlySet<MediaKind> = new Set(['liveH264', 'liveOpus']);

/** Clients expect a region in every URL. There is one gateway, so this one means all. */
export const MEDIA_REGION = 'local';

/** Base URLs of the media listener, without trailing slashes. */
export interface MediaAddresses {
  readonly mediaUrl: string;
  /** URLs for callers in the same network, in order of preference. */
  readonly lanMediaUrls: readonly string[];
}

export interface DeviceMediaUris {
  /** null: not offered. */
  readonly wan: Readonly<Record<MediaKind, string | null>>;
  /** One for each address in the network; empty: not offered, or no such address is configured. */
  readonly lan: Readonly<Record<MediaKind, string[]>>;
  /** A 200 from one of these tells a caller that it can reach that address. */
  readonly lanCheckUrls: string[];
}

export class MediaUris {
  readonly #addresses: MediaAddresses;

  constructor(addresses: MediaAddresses) {
    this.#addresses = addresses;
  }

  of(deviceUuid: Ruuid): DeviceMediaUris {
    const { mediaUrl, lanMediaUrls } = this.#addresses;
    const at = (base: string, kind: MediaKind, path: string) =>
      `${SOCKET_KINDS.has(kind) ? socketUrl(base) : base}/media/${deviceUuid}/${MEDIA_REGION}/${path}`;
    return {
      wan: mapPaths((kind, path) => (path === null ? null : at(mediaUrl, kind, path))),
      lan: mapPaths((kind, path) => (path === null ? [] : lanMediaUrls.map((base) => at(base, kind, path)))),
      lanCheckUrls: lanMediaUrls.map((base) => `${base}/healthz`),
    };
  }
}

/** `https` becomes `wss`, `http` becomes `ws`. */
function socketUrl(base: string): string {
  return base.replace(/^http/i, 'ws');
}

function mapPaths<Value>(uriOf: (kind: MediaKind, path: string | null) => Value): Record<MediaKind, Value> {
  const paths = Object.entries(MEDIA_PATHS) as [MediaKind, string | null][];
  const entries = paths.map(([kind, path]) => [kind, uriOf(kind, path)]);
  return Object.fromEntries(entries) as Record<MediaKind, Value>;
}
