/** Asks one camera over ONVIF for its identity, its streams, and its other abilities. */

import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  type DeviceInformation,
  GET_DEVICE_INFORMATION,
  readDeviceInformation,
} from '../../onvif/device-messages.ts';
import {
  getOverlays,
  getProfiles,
  getSnapshotUri,
  getStreamUri,
  type MediaProfile,
  type MediaVersion,
  readOverlays,
  readProfiles,
  readUri,
} from '../../onvif/media-messages.ts';
import type { OnvifLogin } from '../../onvif/soap.ts';
import type { AddressRule } from '../../sources/network/camera-address.ts';
import type { TlsTrust } from '../../sources/network/tls-trust.ts';
import { channelsOf, mainStreamsFirst, type OnvifChannel } from './onvif-channels.ts';
import { isPassedOver, OnvifClient, type OnvifServices } from './onvif-client.ts';

export interface OnvifStream {
  readonly profileToken: string;
  /** In RTP's spelling, for example `h264`; null if the camera does not report it. */
  readonly codec: string | null;
  /** null if the camera does not report it. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Without login. */
  readonly rtspUrl: string;
  /** The stream that goes with it as a substream, without login; null: none of the same lens is smaller. */
  readonly substreamUrl: string | null;
  /** The URL of a still image, without login; null: the camera has none, or it was not requested. */
  readonly snapshotUrl: string | null;
}

export interface OnvifDevice extends DeviceInformation {
  /** The device service that was used, without login. */
  readonly service: string;
  /** The main stream first, and of several lenses or channels one after the other. */
  readonly streams: readonly OnvifStream[];
  /** Its lenses or channels. */
  readonly channels: readonly OnvifChannel[];
  /** How far its clock is ahead of ours; null: the camera does not report it. */
  readonly clockOffsetMs: number | null;
  readonly hasEvents: boolean;
  readonly hasPtz: boolean;
}

export interface OnvifDeviceOptions {
  readonly clock: Clock;
  /** The time for all requests together. */
  readonly timeoutMs: number;
  readonly login: OnvifLogin | null;
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule | undefined;
  /** Default: `any`. */
  readonly tls?: TlsTrust | undefined;
  /** Whether to request snapshots, one more request per stream. Default: false. */
  readonly hasSnapshots?: boolean;
}

/** Fails like `OnvifClient.ask`. */
export async function inspectOnvifDevice(service: URL, options: OnvifDeviceOptions): Promise<OnvifDevice> {
  const device = await inTime(service, options, (client, signal) =>
    inspect(client, options.hasSnapshots ?? false, signal),
  );
  return { service: service.href, ...device };
}

/** How far the clock of a camera is ahead of ours; null: the camera does not report it. Fails like `OnvifClient.readClock`. */
export async function readOnvifClock(service: URL, options: OnvifDeviceOptions): Promise<number | null> {
  return await inTime(service, options, async (client, signal) => {
    await client.readClock(signal);
    return client.clockOffsetMs;
  });
}

function inTime<T>(
  service: URL,
  options: OnvifDeviceOptions,
  work: (client: OnvifClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = new OnvifClient(service, options);
  return withDeadline(options.clock, options.timeoutMs, (signal) => work(client, signal));
}

async function inspect(
  client: OnvifClient,
  hasSnapshots: boolean,
  signal: AbortSignal,
): Promise<Omit<OnvifDevice, 'service'>> {
  await client.readClock(signal);
  const information = readDeviceInformation(await client.ask(GET_DEVICE_INFORMATION, signal));
  const services = await client.services(signal);
  return {
    ...information,
    ...(await mediaOf(client, services, hasSnapshots, signal)),
    clockOffsetMs: client.clockOffsetMs,
    hasEvents: services.events !== null,
    hasPtz: services.ptz !== null,
  };
}

/** Media2 first: with H.265, Dahua's first media service does not name the encoder at all. */
async function mediaOf(
  client: OnvifClient,
  { media, media2 }: OnvifServices,
  hasSnapshots: boolean,
  signal: AbortSignal,
): Promise<OnvifMedia> {
  let failure: unknown = null;
  for (const [version, url] of [['media2', media2] as const, ['media', media] as const]) {
    if (url === null) continue;
    try {
      const profiles = mainFirst(readProfiles(await client.ask(getProfiles(version), signal, url)));
      const overlays = await overlaysOf(client, { version, url, profiles }, signal);
      const streams = await streamsFrom(client, { version, url, profiles, hasSnapshots }, signal);
      const opened = new Set(streams.map(({ profileToken }) => profileToken));
      if (streams.length > 0) return { streams, channels: channelsOf(profiles, opened, overlays) };
    } catch (thrown) {
      if (!isPassedOver(thrown)) throw thrown;
      failure = thrown;
    }
  }
  if (failure !== null) throw failure;
  return { streams: [], channels: [] };
}

/** Only of a device with several lenses or channels: the names tell them apart. */
async function overlaysOf(
  client: OnvifClient,
  { version, url, profiles }: Omit<ProfilesRequested, 'hasSnapshots'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (new Set(profiles.map(({ sourceToken }) => sourceToken)).size < 2) return new Map();
  try {
    return readOverlays(await client.ask(getOverlays(version), signal, url));
  } catch (thrown) {
    if (thrown instanceof GatewayError && isPassedOver(thrown)) return new Map();
    throw thrown;
  }
}

type OnvifMedia = Pick<OnvifDevice, 'streams' | 'channels'>;

interface ProfilesRequested {
  readonly version: MediaVersion;
  readonly url: URL;
  readonly profiles: readonly MediaProfile[];
  readonly hasSnapshots: boolean;
}

/** A stream and the lens that it shows. */
interface StreamOfLens extends Omit<OnvifStream, 'substreamUrl'> {
  readonly sourceToken: string | null;
}

/** When time runs out, as with video recorders that take long for each of their channels, the streams known by then. */
async function streamsFrom(
  client: OnvifClient,
  { version, url, profiles, hasSnapshots }: ProfilesRequested,
  signal: AbortSignal,
): Promise<OnvifStream[]> {
  const streams: StreamOfLens[] = [];
  for (const { token, sourceToken, encoding, widthPx, heightPx } of mainStreamsFirst(profiles)) {
    try {
      const uri = await uriOf(client.ask(getStreamUri(version, token), signal, url));
      const rtspUrl = uri === null ? null : client.onSameHost(uri, /^rtsps?:$/);
      if (rtspUrl === null) continue;
      const snapshot = hasSnapshots
        ? await uriOf(client.ask(getSnapshotUri(version, token), signal, url))
        : null;
      const snapshotUrl = snapshot === null ? null : client.onSameHost(snapshot, /^https?:$/);
      streams.push({
        profileToken: token,
        codec: encoding?.toLowerCase() ?? null,
        widthPx,
        heightPx,
        rtspUrl: rtspUrl.href,
        snapshotUrl: snapshotUrl?.href ?? null,
        sourceToken,
      });
    } catch (thrown) {
      if (signal.aborted && streams.length > 0) break;
      throw thrown;
    }
  }
  return withSubstreams(inOrderOf(profiles, streams));
}

function inOrderOf(profiles: readonly MediaProfile[], streams: readonly StreamOfLens[]): StreamOfLens[] {
  const byToken = new Map(streams.map((stream) => [stream.profileToken, stream]));
  return profiles.flatMap(({ token }) => byToken.get(token) ?? []);
}

function withSubstreams(streams: readonly StreamOfLens[]): OnvifStream[] {
  return streams.map(({ sourceToken, ...stream }) => {
    const smaller = streams.filter((other) => other.sourceToken === sourceToken && isSmaller(other, stream));
    // Players that know no H.265 get an H.264 substream instead of a transcoded main stream.
    const [sub = smaller[0]] = smaller.filter(({ codec }) => codec === 'h264');
    return { ...stream, substreamUrl: sub?.rtspUrl ?? null };
  });
}

/** Sizes that are not known tell nothing. JPEG is for pictures. */
function isSmaller(
  a: Pick<OnvifStream, 'codec' | 'widthPx' | 'heightPx'>,
  b: Pick<OnvifStream, 'widthPx' | 'heightPx'>,
): boolean {
  const [pixels, ofOther] = [a, b].map(({ widthPx, heightPx }) => (widthPx ?? 0) * (heightPx ?? 0));
  return a.codec !== 'jpeg' && pixels! > 0 && pixels! < ofOther!;
}

/** A profile that the camera cannot stream, or has no snapshots of, does not hide the others. */
async function uriOf(requested: ReturnType<OnvifClient['ask']>): Promise<string | null> {
  try {
    return readUri(await requested);
  } catch (thrown) {
    if (thrown instanceof GatewayError && isPassedOver(thrown)) return null;
    throw thrown;
  }
}

/**
 * The profiles of each source, the one with the most pixels first. JPEG is for still images, so it comes after video. Profiles of unknown
 * size come after those whose size is known.
 */
function mainFirst(profiles: readonly MediaProfile[]): MediaProfile[] {
  const bySource = Map.groupBy(profiles, ({ sourceToken }) => sourceToken);
  return [...bySource.values()].flatMap((ofSource) => ofSource.toSorted((a, b) => rank(b) - rank(a)));
}

function rank({ encoding, widthPx, heightPx }: MediaProfile): number {
  const pixels = (widthPx ?? 0) * (heightPx ?? 0);
  return encoding?.toUpperCase() === 'JPEG' ? pixels - Number.MAX_SAFE_INTEGER : pixels;
}
