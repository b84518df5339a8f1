/**
 * The manifests of a camera: for each audience, of its streams as they are, and of the main stream transcoded to H.264
 * (docs/design/dash.md).
 */

import type { Clock } from '../../core/clock.ts';
import type { ManifestLatency } from '../../dash/manifest-query.ts';
import type { Audience, Content, ManifestVideo, PlaylistText, RenditionName } from '../media/live-media.ts';
import { DashManifest } from './dash-manifest.ts';
import type { PeriodsState } from './dash-period.ts';
import type { DashSources, TimedRendition } from './dash-periods.ts';

/** A stream of the camera, as manifests see it. */
export interface ManifestStream {
  /** False: it has only audio. null: that is not known. */
  readonly hasPicture: boolean | null;
  /** Its segments in time; null while it is not open. */
  timing(content: Content): TimedRendition | null;
  /** Whether its first part is still expected. */
  isExpected(content: Content): boolean;
}

export interface CameraManifestsOptions {
  readonly clock: Clock;
  readonly main: ManifestStream;
  /** null: the camera has none. */
  readonly sub: ManifestStream | null;
  /** The transcoded main stream; null: the gateway has no encoder. */
  readonly compatible: ManifestStream | null;
  /** How long a first manifest waits for the substream. */
  readonly subWaitMs: number;
}

/** Called with the decision about a manifest whenever it may have changed. Must not throw. */
export type PeriodsListener = (audience: Audience, state: PeriodsState) => void;

const AUDIENCES: readonly Audience[] = ['sound', 'silent'];

export class CameraManifests {
  readonly #options: CameraManifestsOptions;
  readonly #manifests: Readonly<Record<ManifestVideo, Readonly<Record<Audience, DashManifest>>>>;
  readonly #listeners: Readonly<Record<ManifestVideo, Set<PeriodsListener>>> = {
    camera: new Set(),
    transcoded: new Set(),
  };

  constructor(options: CameraManifestsOptions) {
    this.#options = options;
    this.#manifests = {
      camera: { sound: this.#make('sound', 'camera'), silent: this.#make('silent', 'camera') },
      transcoded: { sound: this.#make('sound', 'transcoded'), silent: this.#make('silent', 'transcoded') },
    };
  }

  /** As LiveCamera.manifest. Hot: once per request. */
  text(audience: Audience, latency: ManifestLatency, video: ManifestVideo): PlaylistText | null {
    return this.#manifests[video][audience].text(latency);
  }

  /** Milliseconds until the first manifest of the camera's streams no longer waits for the substream; see DashManifest. */
  subWaitLeftMs(audience: Audience): number {
    return this.#manifests.camera[audience].subWaitLeftMs();
  }

  /** The rendition that sets the Periods. */
  mainOf(video: ManifestVideo): RenditionName {
    if (video === 'transcoded') return 'h264-silent';
    return this.#options.main.hasPicture === false ? 'main-audio' : 'main-silent';
  }

  /** Reports this node's decisions to other nodes, which show them. Returns the function that ends it. */
  follow(video: ManifestVideo, listener: PeriodsListener): () => void {
    const listeners = this.#listeners[video];
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Decides about new parts, whether or not someone here asks for a manifest. Hot: once per part. */
  tell(): void {
    this.#tellOf('camera');
    this.#tellOf('transcoded');
  }

  /** Decides once, regardless of the number of listening nodes. */
  #tellOf(video: ManifestVideo): void {
    const listeners = this.#listeners[video];
    if (listeners.size === 0) return;
    for (const audience of AUDIENCES) {
      const state = this.#manifests[video][audience].decided();
      if (state !== null) for (const tell of listeners) tell(audience, state);
    }
  }

  #make(audience: Audience, video: ManifestVideo): DashManifest {
    const { clock, sub, subWaitMs } = this.#options;
    return new DashManifest({
      clock,
      sources: () => (video === 'camera' ? this.#streams(audience) : this.#transcoded(audience)),
      isSubExpected: () => video === 'camera' && (sub?.isExpected('silent') ?? false),
      subWaitMs,
      told: (main) => main.decidedPeriods(audience),
    });
  }

  #streams(audience: Audience): DashSources {
    const { main, sub } = this.#options;
    const audio = audience === 'sound' ? main.timing('audio') : null;
    if (main.hasPicture === false) {
      return { mainId: 'main', main: audio, sub: null, audio: null, wantsAudio: false };
    }
    return {
      mainId: 'main',
      main: main.timing('silent'),
      sub: sub?.timing('silent') ?? null,
      audio,
      wantsAudio: audience === 'sound',
    };
  }

  /** The encoder keeps the times of the main stream, so the main stream's audio goes with it. */
  #transcoded(audience: Audience): DashSources {
    const { main, compatible } = this.#options;
    return {
      mainId: 'h264',
      main: compatible?.timing('silent') ?? null,
      sub: null,
      audio: audience === 'sound' ? main.timing('audio') : null,
      wantsAudio: audience === 'sound',
    };
  }
}
