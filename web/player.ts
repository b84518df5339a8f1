/**
 * Plays one live playlist on a video element: hls.js where Media Source Extensions exist (on iPhones, Managed Media
 * Source), the browser's own HLS elsewhere. A player is never repaired: when it loses the stream, it stops and says
 * so, and its owner starts another.
 */

import { FirstSeek } from './first-seek.ts';
import { noteResponse } from './gateway-silence.ts';
import type {
  Fragment,
  HlsConfig,
  Loader,
  LoaderCallbacks,
  LoaderConfiguration,
  LoaderContext,
} from './hls.js';
import Hls from './hls.js';
import { LiveEdge } from './live-edge.ts';
import type { LiveProof } from './live-proof.ts';
import { LoadControl } from './load-control.ts';
import { NativePlayer } from './native-player.ts';
import { OneRange } from './one-range.ts';
import { type OpenShare, parseRefusal, type Refusal } from './open.ts';
import { PartMarks } from './part-marks.ts';
import type { PlayIntent } from './play-intent.ts';
import {
  emptyVideo,
  hasSound,
  type LivePlayer,
  type LossReason,
  PlaybackWatch,
  type PlayerEnd,
  type PlayerEvents,
} from './playback.ts';
import { QualityControl } from './quality.ts';
import { requestCounts } from './request-counts.ts';
import { aheadLoader, SegmentAhead } from './segment-ahead.ts';

/**
 * The playlist's PART-HOLD-BACK (about one second) is the distance that live-edge.ts keeps; quality.ts chooses the
 * variant, load-control.ts parts or segments. Buffers are small: phones watch for hours.
 */
const HLS_CONFIG: Partial<HlsConfig> = {
  lowLatencyMode: true,
  liveSyncOnStallIncrease: 0,
  maxLiveSyncPlaybackRate: 1,
  liveDurationInfinity: true,
  backBufferLength: 8,
  maxBufferLength: 10,
  maxMaxBufferLength: 20,
  maxBufferSize: 24_000_000,
  startFragPrefetch: true,
  testBandwidth: false,
  capLevelToPlayerSize: true,
  // A variant that failed once is tried again; hls.js's default is never.
  errorPenaltyExpireMs: 10_000,
  enableWorker: false,
};

/**
 * Starts a player for `share` on `video`, of which `intent` says whether it plays. `config`: what differs from a page with
 * one video.
 */
export function startHlsPlayer(
  video: HTMLVideoElement,
  share: OpenShare,
  intent: PlayIntent,
  events: PlayerEvents,
  config: Partial<HlsConfig> = {},
): LivePlayer {
  return Hls.isSupported()
    ? new HlsPlayer(video, share, intent, events, config)
    : new NativePlayer(video, share, intent, events);
}

/** Playback with hls.js. */
class HlsPlayer implements LivePlayer {
  readonly #video: HTMLVideoElement;
  readonly #events: PlayerEvents;
  readonly #hls: Hls;
  readonly #watch: PlaybackWatch;
  readonly #firstSeek: FirstSeek;
  readonly #oneRange: OneRange;
  readonly #edge: LiveEdge;
  /** Null: the player loads as it was configured. */
  readonly #load: LoadControl | null;
  readonly #quality: QualityControl;
  readonly #ahead = new SegmentAhead((fragment) => this.#urlAfter(fragment));
  #proof: LiveProof | null = null;
  #ended = false;

  constructor(
    video: HTMLVideoElement,
    share: OpenShare,
    intent: PlayIntent,
    events: PlayerEvents,
    config: Partial<HlsConfig>,
  ) {
    this.#video = video;
    this.#events = events;
    const loader = guardedLoader(this.#onBadStatus);
    const fLoader = aheadLoader(loader, this.#ahead);
    this.#hls = new Hls({ ...HLS_CONFIG, ...config, loader, fLoader });
    this.#watch = new PlaybackWatch(video, share, intent, events, (reason) => this.#lose(reason, null));
    this.#firstSeek = new FirstSeek(video);
    new PartMarks(this.#hls, video);
    this.#oneRange = new OneRange(this.#hls, video);
    this.#edge = new LiveEdge(this.#hls, video);
    this.#load = this.#hls.lowLatencyMode ? new LoadControl(this.#hls, video, this.#edge) : null;
    this.#quality = new QualityControl(this.#hls, video, {
      onLowered: () => this.#edge.jumpIfLeftBehind(),
      mayWaitForSegments: () => this.#load !== null && !this.#load.isSteady,
    });
    if (share.signedBy !== undefined) void this.#prove(share.signedBy);
    this.#listen();
    video.addEventListener('error', this.#onMediaError);
    this.#hls.attachMedia(video);
    this.#hls.loadSource(share.playlistUrl);
  }

  behindLiveSec(): number | null {
    return this.#edge.behindSec();
  }

  pictureEpochMs(): number | null {
    return this.#hls.playingDate?.getTime() ?? null;
  }

  jumpToLive(): void {
    this.#edge.jump();
  }

  stop(): void {
    this.#release();
    emptyVideo(this.#video);
  }

  /** Loaded only where signatures are expected. */
  async #prove(fingerprint: string): Promise<void> {
    const { LiveProof } = await import('./live-proof.ts');
    if (this.#ended) return;
    this.#proof = new LiveProof(this.#hls, fingerprint, (state) => this.#events.onProof?.(state));
  }

  #listen(): void {
    this.#hls.on(Hls.Events.BUFFER_CODECS, (_event, tracks) => {
      const muxed = tracks.audiovideo;
      this.#events.onSound(tracks.audio !== undefined || hasSound(muxed?.codec ?? ''));
    });
    this.#hls.on(Hls.Events.ERROR, (_event, error) => {
      if (!error.fatal && !needsNewSource(error.details)) return;
      if (error.type === Hls.ErrorTypes.NETWORK_ERROR) this.#lose('network', null);
      else if (isUnplayable(error.details)) this.#end({ kind: 'unplayable' });
      else this.#lose('stalled', null);
    });
  }

  readonly #onMediaError = (): void => this.#lose('stalled', null);

  /** Sees every unsuccessful response before hls.js does; true if it ended the player. */
  readonly #onBadStatus = (request: FailedRequest): boolean => {
    const { status } = request;
    const refusal = parseRefusal(status, request.bodyText(), request.retryAfter());
    if (status === 401 || status === 403 || (status === 404 && request.isPlaylist)) {
      this.#end({ kind: 'refused', refusal: refusal.reason === 'unknown' ? null : refusal });
    } else if (refusal.reason === 'sound-only') {
      this.#end({ kind: 'refused', refusal });
    } else if (status === 503) {
      this.#lose(lossReason(refusal.reason), refusal);
    } else if (status === 0 && !navigator.onLine) {
      this.#lose('network', null);
    }
    return this.#ended;
  };

  /** URL of the next whole segment. */
  #urlAfter({ sn, level }: Fragment): string | null {
    if (this.#load?.isSteady !== true || level !== this.#hls.loadLevel || sn === 'initSegment') return null;
    const next = this.#hls.latestLevelDetails?.fragments.find((fragment) => fragment.sn === sn + 1);
    return next === undefined || next.gap ? null : next.url;
  }

  #lose(reason: LossReason, refusal: Pick<Refusal, 'retryAfterSec' | 'nextTryEpochMs'> | null): void {
    const { retryAfterSec = null, nextTryEpochMs } = refusal ?? {};
    this.#end({ kind: 'lost', reason, retryAfterSec, nextTryEpochMs });
  }

  #end(end: PlayerEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopControl();
    this.#hls.stopLoad();
    this.#events.onEnd(end);
  }

  #stopControl(): void {
    this.#video.removeEventListener('error', this.#onMediaError);
    this.#watch.stop();
    this.#firstSeek.stop();
    this.#oneRange.stop();

    this.#ahead.stop();
    this.#edge.stop();
    this.#load?.stop();
    this.#quality.stop();
    this.#proof?.stop();
  }

  #release(): void {
    this.#ended = true;
    this.#stopControl();
    this.#hls.destroy();
  }
}

export interface FailedRequest {
  /** 0: no response came. */
  readonly status: number;
  readonly isPlaylist: boolean;
  bodyText(): string;
  retryAfter(): string | null;
}

/**
 * hls.js's own loader, with every unsuccessful response passed to `onBadStatus` first; if that returns true, hls.js
 * does not get it.
 */
export function guardedLoader(
  onBadStatus: (request: FailedRequest) => boolean,
): new (
  config: HlsConfig,
) => Loader<LoaderContext> {
  return class extends Hls.DefaultConfig.loader {
    override load(
      context: LoaderContext,
      config: LoaderConfiguration,
      callbacks: LoaderCallbacks<LoaderContext>,
    ): void {
      const onError: LoaderCallbacks<LoaderContext>['onError'] = (error, failed, details, stats) => {
        const xhr = details instanceof XMLHttpRequest ? details : null;
        if (error.code > 0) noteResponse();
        // The end of access is not a failure.
        if (error.code !== 401 && error.code !== 403) requestCounts.failed++;
        const isTaken = onBadStatus({
          status: error.code,
          isPlaylist: failed.responseType === 'text',
          bodyText: () => (xhr === null ? '' : xhrText(xhr)),
          retryAfter: () => xhr?.getResponseHeader('retry-after') ?? null,
        });
        if (!isTaken) callbacks.onError(error, failed, details, stats);
      };
      const onTimeout: LoaderCallbacks<LoaderContext>['onTimeout'] = (...late) => {
        requestCounts.failed++;
        callbacks.onTimeout(...late);
      };
      const onSuccess: LoaderCallbacks<LoaderContext>['onSuccess'] = (...loaded) => {
        noteResponse();
        callbacks.onSuccess(...loaded);
      };
      requestCounts.requests++;
      super.load(context, config, { ...callbacks, onSuccess, onError, onTimeout });
    }
  };
}

function xhrText(xhr: XMLHttpRequest): string {
  const body: unknown = xhr.response;
  if (typeof body === 'string') return body;
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

function lossReason(reason: Refusal['reason']): LossReason {
  return reason === 'camera-offline' || reason === 'restarting' ? reason : 'busy';
}

/** A decoder stumbled over a damaged frame. hls.js would empty the video and set it up again, without its last frame. */
function needsNewSource(details: string): boolean {
  return details === Hls.ErrorDetails.MEDIA_SOURCE_REQUIRES_RESET;
}

function isUnplayable(details: string): boolean {
  return (
    details === Hls.ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR ||
    details === Hls.ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR ||
    details === Hls.ErrorDetails.BUFFER_ADD_CODEC_ERROR
  );
}
