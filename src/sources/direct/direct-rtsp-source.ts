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
import type { SkippedTrack, TrackSelection } from '../../rtsp/track-selection.ts';
import type { SessionDescription } from '../../sdp/session-description.ts';
import type { Source, SourceInstance } from '../../stream/source.ts';
import type { SourceSink } from '../../stream/source-sink.ts';
import type { AddressRule } from '../network/camera-address.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import type { SoundPaths } from '../sound/sound-path.ts';
import { CameraLink, type CameraLinkEvents } from './camera-link.ts';
import { DIRECT_ERRORS } from './errors.ts';
import { DEFAULT_DIRECT_TIMEOUTS, type DirectTimeouts } from './timeouts.ts';

/** Events within an instance for observers other than its consumer. Called synchronously. */
export interface DirectObserver {
  onDescribed?(description: SessionDescription, selection: TrackSelection): void;
  /**
   * Media that the camera offers and this engine leaves out: `auto` may prefer another engine. Called before the first
   * frame.
   */
  onSkipped?(skipped: readonly SkippedTrack[]): void;
  /** An RTCP packet from the camera, borrowed. */
  onRtcp?(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
}

/** `auto`: within the RTSP connection, or over UDP if the camera refuses that (461). */
export type TransportPreference = 'auto' | 'tcp' | 'udp';

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
  /** For audio that is not AAC; without it such audio is left out. */
  readonly sound?: SoundPaths;
}

const MAX_REDIRECTS = 3;

export class DirectRtspSource implements Source {
  readonly engine = 'direct';
  readonly #options: DirectRtspOptions;
  readonly #timeouts: DirectTimeouts;
  /** Skipped media as last logged: one line, however often the camera is opened. */
  #loggedSkipped = '';

  constructor(options: DirectRtspOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_DIRECT_TIMEOUTS, ...options.timeouts };
  }

  open(sink: SourceSink): SourceInstance {
    return new DirectInstance(this.#options, this.#timeouts, sink, (skipped) => this.#skipped(skipped));
  }

  #skipped(skipped: readonly SkippedTrack[]): void {
    this.#options.observer?.onSkipped?.(skipped);
    const summary = JSON.stringify(skipped);
    if (summary === this.#loggedSkipped) return;
    this.#loggedSkipped = summary;
    this.#options.log.info({ skipped }, 'camera tracks skipped');
  }
}

class DirectInstance implements SourceInstance {
  readonly #options: DirectRtspOptions;
  readonly #timeouts: DirectTimeouts;
  readonly #sink: SourceSink;
  readonly #onSkipped: (skipped: readonly SkippedTrack[]) => void;
  #link: CameraLink | null = null;
  #transport: 'tcp' | 'udp' = 'tcp';
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
    queueMicrotask(() => this.#connect(options.url, options.transport === 'udp' ? 'udp' : 'tcp'));
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#releaseLink();
    await Promise.all(this.#releasing);
  }

  #connect(url: CredentialUrl, transport: 'tcp' | 'udp'): void {
    if (this.#sink.isOver) return;
    const isRtsp = url.protocol === 'rtsp:' || url.protocol === 'rtsps:';
    if (!isRtsp || url.hostname === '') {
      this.#end(new GatewayError(DIRECT_ERRORS.DIRECT_BAD_URL, { protocol: url.protocol }));
      return;
    }
    const { clock, tls = 'any', addressRule = 'anywhere', sound = null } = this.#options;
    const where = { url, transport, tls, addressRule };
    const options = { ...where, clock, timeouts: this.#timeouts, sound, sink: this.#sink };
    this.#transport = transport;
    this.#link = new CameraLink(options, this.#linkEvents(url, transport));
  }

  #linkEvents(url: CredentialUrl, transport: 'tcp' | 'udp'): CameraLinkEvents {
    const { observer } = this.#options;
    return {
      onDescribed: (description, selection) => observer?.onDescribed?.(description, selection),
      onSkipped: this.#onSkipped,
      onRtcp: (trackIndex, chunk, start, end) => observer?.onRtcp?.(trackIndex, chunk, start, end),
      onRedirect: (location) => this.#redirected(url, location, transport),
      onFailed: (error) => {
        const mayTryUdp = this.#options.transport === 'auto' && transport === 'tcp';
        if (mayTryUdp && error.code === RTSP_ERRORS.RTSP_TRANSPORT_REFUSED.code) this.#fallBack(url);
        else this.#end(error);
      },
    };
  }

  /** One line for each instance that delivered media. */
  #opened(tracks: readonly Track[]): void {
    const codecs = tracks.map((track) => track.codecString);
    this.#options.log.info({ engine: 'direct', transport: this.#transport, codecs }, 'stream opened');
  }

  #fallBack(url: CredentialUrl): void {
    this.#options.log.debug({ url }, 'camera does not support interleaving, trying UDP');
    this.#releaseLink();
    this.#connect(url, 'udp');
  }

  #redirected(from: CredentialUrl, location: string, transport: 'tcp' | 'udp'): void {
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
  return new CredentialUrl(target.href);
}
