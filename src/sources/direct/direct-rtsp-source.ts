/**
 * A camera read by our own RTSP client: the `direct` engine. An instance is a connection to the camera. If the camera
 * redirects or does not interleave, another connection replaces it before any media has arrived.
 */

import type { Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import type { SessionDescription } from '../../rtsp/sdp/session-description.ts';
import type { SkippedTrack, TrackSelection } from '../../rtsp/track-selection.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { JpegPaths } from '../jpeg/jpeg-path.ts';
import { type AddressRule, ANYWHERE } from '../network/camera-address.ts';
import { cameraRoute, type LowerTransport, type TransportPreference } from '../network/camera-route.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import type { SoundPaths } from '../sound/sound-path.ts';
import { CameraLink, type CameraLinkEvents } from './camera-link.ts';
import { DEFAULT_DIRECT_TIMEOUTS, type DirectTimeouts } from './timeouts.ts';

/** Events within an instance for observers other than its consumer. Called synchronously. */
export interface DirectObserver {
  onDescribed?(description: SessionDescription, selection: TrackSelection): void;
  /**
   * Media that the camera offers and this engine leaves out: `auto` may prefer another engine. Called before the first
   * frame.
   */
  onSkipped?(skipped: readonly SkippedTrack[]): void;
  /** Players cannot follow the video as it is. True if another engine takes over the camera. */
  onUnfit?(): boolean;
  /** How media comes; called with the first of it. */
  onTransport?(transport: LowerTransport | 'http'): void;
  /** An RTCP packet from the camera, borrowed. */
  onRtcp?(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
}

export interface DirectRtspOptions {
  readonly url: CredentialUrl;
  readonly transport: TransportPreference;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: `any`. */
  readonly tls?: TlsTrust;
  /** Default: `anywhere`. */
  readonly addressRule?: AddressRule;
  readonly timeouts?: Partial<DirectTimeouts>;
  readonly observer?: DirectObserver;
  /** The camera's own wall clock dates its frames if it is sane. Default: false. */
  readonly mayUseCameraTime?: boolean;
  /** Certificates that the signers of its video must lead to, PEM. Default: null, signatures are not looked for. */
  readonly signingAnchors?: string | null;
  /** Paths for audio that is not AAC. Without them, such audio is left out. */
  readonly sound?: SoundPaths;
  /** Paths for Motion JPEG. Without them, such a camera has no supported video. */
  readonly jpeg?: JpegPaths;
  /** Leaves out all audio. Default: false. */
  readonly isSilent?: boolean;
  /** Where media are noted that are left out. Default: `log`. */
  readonly skipped?: Pick<SkippedLog, 'note'>;
}

/** Logs one line per track that is left out, however often the camera is opened. */
export class SkippedLog {
  readonly #log: Log;
  #logged = '';

  constructor(log: Log) {
    this.#log = log;
  }

  note(skipped: readonly SkippedTrack[]): void {
    const summary = JSON.stringify(skipped);
    if (summary === this.#logged) return;
    this.#logged = summary;
    this.#log.info({ skipped }, 'camera tracks skipped');
  }
}

const MAX_REDIRECTS = 3;

export class DirectRtspSource implements Source {
  readonly engine = 'direct';
  readonly #options: DirectRtspOptions;
  readonly #timeouts: DirectTimeouts;
  readonly #skippedLog: Pick<SkippedLog, 'note'>;

  constructor(options: DirectRtspOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_DIRECT_TIMEOUTS, ...options.timeouts };
    this.#skippedLog = options.skipped ?? new SkippedLog(options.log);
  }

  open(sink: SourceSink): SourceInstance {
    return new DirectInstance(this.#options, this.#timeouts, sink, (skipped) => this.#skipped(skipped));
  }

  #skipped(skipped: readonly SkippedTrack[]): void {
    this.#options.observer?.onSkipped?.(skipped);
    this.#skippedLog.note(skipped);
  }
}

class DirectInstance implements SourceInstance {
  readonly #options: DirectRtspOptions;
  readonly #timeouts: DirectTimeouts;
  readonly #sink: SourceSink;
  readonly #onSkipped: (skipped: readonly SkippedTrack[]) => void;
  #link: CameraLink | null = null;
  #transport: LowerTransport | 'http' = 'tcp';
  /** The camera describes multicast groups. */
  #hasGroups = false;
  #redirects = 0;
  /** Links that were replaced or failed and are still releasing what they held. */
  readonly #releasing = new Set<Promise<void>>();

  constructor(
    options: DirectRtspOptions,
    timeouts: DirectTimeouts,
    sink: SourceSink,
    onSkipped: (skipped: readonly SkippedTrack[]) => void,
  ) {
    this.#options = options;
    this.#timeouts = timeouts;
    this.#sink = sink.branch({ onOpened: (tracks) => this.#opened(tracks) });
    this.#onSkipped = onSkipped;
    const { transport } = options;
    const first = transport === 'udp' || transport === 'multicast' ? transport : 'tcp';
    queueMicrotask(() => this.#connect(options.url, first));
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#releaseLink();
    await Promise.all(this.#releasing);
  }

  #connect(url: CredentialUrl, transport: LowerTransport): void {
    if (this.#sink.isOver) return;
    const route = cameraRoute(url, this.#options.transport);
    if (route === null) {
      this.#end(new GatewayError(DIRECT_ERRORS.DIRECT_BAD_URL, { protocol: url.protocol }));
      return;
    }
    const { clock, tls = 'any', addressRule = ANYWHERE, sound = null, isSilent = false } = this.#options;
    const { mayUseCameraTime = false, jpeg = null, signingAnchors = null } = this.#options;
    // The URL's scheme is stronger than the setting: a tunnel carries its media.
    const lower = route.tunnel === null ? transport : 'tcp';
    const where = { route, transport: lower, tls, addressRule, mayUseCameraTime, signingAnchors } as const;
    const options = { ...where, clock, timeouts: this.#timeouts, sound, jpeg, isSilent, sink: this.#sink };
    this.#transport = route.tunnel === null ? transport : 'http';
    this.#link = new CameraLink(options, this.#linkEvents(url, transport));
  }

  #linkEvents(url: CredentialUrl, transport: LowerTransport): CameraLinkEvents {
    const { observer } = this.#options;
    return {
      onDescribed: (description, selection) => {
        this.#hasGroups = description.media.some(({ group }) => group !== null);
        observer?.onDescribed?.(description, selection);
      },
      onSkipped: this.#onSkipped,
      onRtcp: (trackIndex, chunk, start, end) => observer?.onRtcp?.(trackIndex, chunk, start, end),
      onUnfit: () => observer?.onUnfit?.() ?? false,
      onRedirect: (location) => this.#redirected(url, location, transport),
      onFailed: (error) => {
        const isRefused = error.code === RTSP_ERRORS.RTSP_TRANSPORT_REFUSED.code;
        const next = isRefused ? this.#nextTransport() : null;
        if (next === null) this.#end(error);
        else this.#fallBack(url, next);
      },
    };
  }

  /** One line for each instance that delivered media. */
  #opened(tracks: readonly Track[]): void {
    this.#options.observer?.onTransport?.(this.#transport);
    const codecs = tracks.length === 0 ? ['jpeg'] : tracks.map((track) => track.codecString);
    this.#options.log.info({ engine: 'direct', transport: this.#transport, codecs }, 'stream opened');
  }

  /** The transport that `auto` tries after the camera has refused one; null: none is left. */
  #nextTransport(): LowerTransport | null {
    if (this.#options.transport !== 'auto') return null;
    if (this.#transport === 'tcp') return 'udp';
    return this.#transport === 'udp' && this.#hasGroups ? 'multicast' : null;
  }

  #fallBack(url: CredentialUrl, transport: LowerTransport): void {
    this.#options.log.debug({ url, transport }, 'camera refuses the transport, trying another');
    this.#releaseLink();
    this.#connect(url, transport);
  }

  #redirected(from: CredentialUrl, location: string, transport: LowerTransport): void {
    this.#releaseLink();
    this.#redirects += 1;
    if (this.#redirects > MAX_REDIRECTS) {
      this.#end(
        new GatewayError(RTSP_ERRORS.RTSP_REDIRECT_REFUSED, { reason: 'too-many', limit: MAX_REDIRECTS }),
      );
      return;
    }
    const url = redirectedUrl(from, location);
    this.#options.log.debug({ url }, 'camera redirected');
    this.#connect(url, transport);
  }

  #end(error: GatewayError): void {
    this.#releaseLink();
    this.#sink.onEnded(error);
  }

  #releaseLink(): void {
    const released = this.#link?.release();
    this.#link = null;
    if (released === undefined) return;
    this.#releasing.add(released);
    void released.finally(() => this.#releasing.delete(released));
  }
}

/** Follows the camera's redirect in everything except the credentials: those stay, and only for the same host. */
function redirectedUrl(from: CredentialUrl, location: string): CredentialUrl {
  const target = new URL(location);
  const isSameHost = new CredentialUrl(location).hostname === from.hostname;
  const credentials = isSameHost && target.username === '' ? from.credentials() : null;
  if (credentials !== null) {
    target.username = encodeURIComponent(credentials.username);
    target.password = encodeURIComponent(credentials.password.reveal());
  }
  // A tunnel leads to another tunnel: within it, cameras name RTSP URLs.
  const isTunnel = from.protocol.includes('+');
  const url = new CredentialUrl(target.href);
  return isTunnel ? url.withProtocol(from.protocol) : url;
}
