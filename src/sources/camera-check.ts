/**
 * Asks a camera whether it would play, and plays nothing: over RTSP up to the response to DESCRIBE, over HTTP up to the playlist or
 * the header of an endless response. A check is a source, so that the guard of logins counts its tries with those of the streams. It
 * announces tracks, none, if the camera responded as it should, and ends with the same errors as the stream otherwise.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import type { SourceSink } from '../stream/source/source-sink.ts';
import { DirectRtspSource } from './direct/direct-rtsp-source.ts';
import { PLAYLIST_LIMITS } from './hls/playlist-pull.ts';
import { PULL_ERRORS } from './http/errors.ts';
import { HttpClient } from './http/http-client.ts';
import { continuousFormat, isHttp, isPlaylist, withoutLogin } from './http-source.ts';
import type { AddressRule } from './network/camera-address.ts';
import type { TransportPreference } from './network/camera-route.ts';
import type { TlsTrust } from './network/tls-trust.ts';
import { isWorkerUrl } from './url-worker.ts';

export interface CameraCheckOptions {
  readonly url: CredentialUrl;
  readonly transport: TransportPreference;
  readonly tls: TlsTrust;
  readonly addressRule: AddressRule;
  readonly clock: Clock;
  /** For the whole check. */
  readonly timeoutMs: number;
}

/** null: only a worker speaks this protocol, and it is not worth a process. */
export function cameraCheck(options: CameraCheckOptions): Source | null {
  const { url } = options;
  if (isHttp(url)) return { engine: 'check', open: (sink) => new HttpCheck(options, sink) };
  return isWorkerUrl(url.protocol) ? null : { engine: 'check', open: (sink) => openDescribed(options, sink) };
}

/** The connection ends with the description: within the call, so that no SETUP follows. */
function openDescribed({ timeoutMs, ...options }: CameraCheckOptions, sink: SourceSink): SourceInstance {
  const source = new DirectRtspSource({
    ...options,
    log: silentLog,
    timeouts: { reachMs: timeoutMs, connectMs: timeoutMs, stepMs: timeoutMs, handshakeMs: timeoutMs },
    observer: {
      onDescribed: () => {
        sink.onTracks([]);
        void instance.close();
      },
    },
  });
  const instance = source.open(sink);
  return instance;
}

class HttpCheck implements SourceInstance {
  readonly #options: CameraCheckOptions;
  readonly #sink: SourceSink;
  readonly #client: HttpClient;
  readonly #finished: Promise<void>;

  constructor(options: CameraCheckOptions, sink: SourceSink) {
    this.#options = options;
    this.#sink = sink;
    this.#client = new HttpClient(options);
    this.#finished = this.#run();
  }

  async close(): Promise<void> {
    this.#sink.close();
    this.#client.close();
    await this.#finished;
  }

  async #run(): Promise<void> {
    try {
      await Promise.resolve();
      if (this.#sink.isOver) return;
      await this.#ask();
      this.#sink.onTracks([]);
    } catch (thrown) {
      this.#sink.onEnded(toGatewayError(thrown));
    } finally {
      this.#client.close();
    }
  }

  async #ask(): Promise<void> {
    const { url, timeoutMs } = this.#options;
    const opened = await this.#client.open(withoutLogin(url), timeoutMs);
    const { contentType } = opened;
    if (continuousFormat(contentType) !== null) return;
    const body = await this.#client.readAll(opened, { ...PLAYLIST_LIMITS, timeoutMs });
    if (!isPlaylist(body)) throw new GatewayError(PULL_ERRORS.PULL_CONTENT_UNSUPPORTED, { contentType });
  }
}
