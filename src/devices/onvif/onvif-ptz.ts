/**
 * Moves one camera over ONVIF. The camera's profile and mount are found once; everything else is one request each. Nothing is repeated and
 * nothing is timed here: `PtzService` of the API decides when a move ends.
 */

import { GatewayError } from '../../core/errors.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';
import {
  getProfiles,
  getStreamUri,
  type MediaProfile,
  type MediaVersion,
  readProfiles,
  readUri,
} from '../../onvif/media-messages.ts';
import {
  GET_NODES,
  getPresets,
  getStatus,
  gotoPreset,
  moveMessage,
  type PtzMode,
  type PtzNode,
  type PtzPreset,
  type PtzStatus,
  type PtzVector,
  readNodes,
  readPresets,
  readPresetToken,
  readStatus,
  removePreset,
  setPreset,
  stopMoves,
} from '../../onvif/ptz-messages.ts';
import { isPassedOver, OnvifClient, type OnvifClientOptions, type OnvifServices } from './onvif-client.ts';

export interface OnvifPtzOptions extends OnvifClientOptions {
  readonly service: URL;
  /** The camera's main stream: it tells the channels of a video recorder and the lenses of a camera apart. */
  readonly streamUrl: string;
}

export interface PtzState extends PtzStatus {
  readonly node: PtzNode;
  /** In the camera's order. */
  readonly presets: readonly PtzPreset[];
}

/** The mount that moves the camera. */
interface Mount {
  readonly url: URL;
  readonly profileToken: string;
  readonly node: PtzNode;
}

/** Every method fails like `OnvifClient.ask`, and ONVIF_PTZ_MISSING. */
export class OnvifPtz {
  readonly #client: OnvifClient;
  readonly #streamUrl: string;
  #mount: Mount | null = null;

  constructor({ service, streamUrl, ...options }: OnvifPtzOptions) {
    this.#client = new OnvifClient(service, options);
    this.#streamUrl = streamUrl;
  }

  async state(signal: AbortSignal): Promise<PtzState> {
    const { url, profileToken, node } = await this.#ready(signal);
    const status = await this.#optional(
      async () => readStatus(await this.#client.ask(getStatus(profileToken), signal, url), node),
      { position: null, moveStatus: 'UNKNOWN' },
    );
    if (node.maxPresets === 0) return { node, ...status, presets: [] };
    const presets = await this.#optional(
      async () => readPresets(await this.#client.ask(getPresets(profileToken), signal, url)),
      [],
    );
    return { node, ...status, presets };
  }

  /**
   * `timeoutMs`: when the camera itself ends a CONTINUOUS move, rounded up to seconds. Also fails ONVIF_PTZ_MOVE_MISSING if the camera has
   * no such move of an axis that is not null.
   */
  async move(mode: PtzMode, vector: PtzVector, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { url, profileToken, node } = await this.#ready(signal);
    const isTurned = vector.pan !== null || vector.tilt !== null;
    const missing = [
      ...(isTurned && node.panTilt[mode] === null ? ['pan and tilt'] : []),
      ...(vector.zoom !== null && node.zoom[mode] === null ? ['zoom'] : []),
    ];
    if (missing.length > 0) {
      const context = { mode, missing: missing.join(', ') };
      throw new GatewayError(ONVIF_ERRORS.ONVIF_PTZ_MOVE_MISSING, context);
    }
    const message = moveMessage(profileToken, mode, node, vector, Math.ceil(timeoutMs / 1_000));
    await this.#client.ask(message, signal, url);
  }

  async stop(signal: AbortSignal): Promise<void> {
    const { url, profileToken } = await this.#ready(signal);
    await this.#client.ask(stopMoves(profileToken), signal, url);
  }

  async gotoPreset(presetToken: string, signal: AbortSignal): Promise<void> {
    const { url, profileToken } = await this.#ready(signal);
    await this.#client.ask(gotoPreset(profileToken, presetToken), signal, url);
  }

  /** `presetToken`: null makes a new one. Resolves with its token. */
  async setPreset(name: string, presetToken: string | null, signal: AbortSignal): Promise<string> {
    const { url, profileToken } = await this.#ready(signal);
    const response = await this.#client.ask(setPreset(profileToken, name, presetToken), signal, url);
    const token = readPresetToken(response) ?? presetToken;
    if (token === null) throw new GatewayError(ONVIF_ERRORS.ONVIF_BAD_ANSWER, { reason: 'no preset token' });
    return token;
  }

  async removePreset(presetToken: string, signal: AbortSignal): Promise<void> {
    const { url, profileToken } = await this.#ready(signal);
    await this.#client.ask(removePreset(profileToken, presetToken), signal, url);
  }

  async #ready(signal: AbortSignal): Promise<Mount> {
    this.#mount ??= await this.#find(signal);
    return this.#mount;
  }

  async #find(signal: AbortSignal): Promise<Mount> {
    await this.#client.readClock(signal);
    const services = await this.#client.services(signal);
    if (services.ptz === null) throw missing('no PTZ service');
    const profile = await this.#profile(services, signal);
    const nodes = readNodes(await this.#client.ask(GET_NODES, signal, services.ptz));
    const { nodeToken } = profile.ptz;
    const node =
      nodes.find(({ token }) => token === nodeToken) ?? (nodes.length === 1 ? nodes[0] : undefined);
    if (node === undefined) throw missing('no PTZ node');
    return { url: services.ptz, profileToken: profile.token, node };
  }

  /** A movable profile of the lens or channel that the camera's stream shows. */
  async #profile({ media, media2 }: OnvifServices, signal: AbortSignal): Promise<MovableProfile> {
    for (const [version, url] of [['media2', media2] as const, ['media', media] as const]) {
      if (url === null) continue;
      const profiles = await this.#optional(
        async () => readProfiles(await this.#client.ask(getProfiles(version, true), signal, url)),
        [],
      );
      const movable = profiles.filter(isMovable);
      if (movable.length === 0) continue;
      const sources = new Set(profiles.map(({ sourceToken }) => sourceToken));
      if (sources.size === 1) return movable[0]!;
      const shown = await this.#shown(version, url, profiles, signal);
      const ofSource = movable.find(({ sourceToken }) => shown !== null && sourceToken === shown.sourceToken);
      // Moving another lens or channel than the watched one would be worse.
      if (ofSource === undefined) throw missing('none for this stream');
      return ofSource;
    }
    throw missing('no profile with PTZ');
  }

  /** The profile with the camera's stream; null: none has it. */
  async #shown(
    version: MediaVersion,
    url: URL,
    profiles: readonly MediaProfile[],
    signal: AbortSignal,
  ): Promise<MediaProfile | null> {
    const wanted = placeOf(this.#streamUrl);
    for (const profile of profiles) {
      const uri = await this.#optional(
        async () => readUri(await this.#client.ask(getStreamUri(version, profile.token), signal, url)),
        null,
      );
      if (uri !== null && placeOf(uri) === wanted) return profile;
    }
    return null;
  }

  /** A camera that cannot report this is moved all the same. */
  async #optional<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (isPassedOver(thrown)) return otherwise;
      throw thrown;
    }
  }
}

type MovableProfile = MediaProfile & { readonly ptz: NonNullable<MediaProfile['ptz']> };

function isMovable(profile: MediaProfile): profile is MovableProfile {
  return profile.ptz !== null;
}

/** The part of a URL that distinguishes the streams of one host. */
function placeOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function missing(reason: string): GatewayError {
  return new GatewayError(ONVIF_ERRORS.ONVIF_PTZ_MISSING, { reason });
}
