/** Turns a stored camera into one that the hub can open: the sources for its engine and transport. */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { AutoSource } from '../sources/auto-source.ts';
import { cameraCheck } from '../sources/camera-check.ts';
import { type DirectRtspOptions, DirectRtspSource } from '../sources/direct/direct-rtsp-source.ts';
import { FfmpegSource, type FfmpegSourceOptions } from '../sources/ffmpeg/ffmpeg-source.ts';
import type { VariantSize } from '../sources/hls/variant-choice.ts';
import { PULL_ERRORS } from '../sources/http/errors.ts';
import { type FedWorker, HttpSource, isHttp } from '../sources/http-source.ts';
import type { JpegPaths } from '../sources/jpeg/jpeg-path.ts';
import { MotionJpeg } from '../sources/jpeg/motion-jpeg.ts';
import { LoginGuard } from '../sources/login-guard.ts';
import type { AddressNetworks, AddressRule } from '../sources/network/camera-address.ts';
import { parseTlsTrust, type TlsTrust } from '../sources/network/tls-trust.ts';
import { RTMP_ERRORS } from '../sources/rtmp/errors.ts';
import { PublishSource } from '../sources/rtmp/publish-source.ts';
import type { RtmpListener } from '../sources/rtmp/rtmp-listener.ts';
import { CameraSoundPaths } from '../sources/sound/camera-sound.ts';
import { OpusEncoder } from '../sources/sound/opus-encoder.ts';
import { PooledSoundPaths } from '../sources/sound/pooled-sound.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import type { SoundServers } from '../sources/sound/sound-servers.ts';
import { WorkerSoundPaths } from '../sources/sound/worker-sound.ts';
import { rtspSpeaker } from '../sources/talk/rtsp-speaker.ts';
import { type CameraThreadChoice, ThreadedRtspSource } from '../sources/threaded/threaded-rtsp-source.ts';
import { transcodedProperties } from '../sources/transcode/transcoded-properties.ts';
import { TranscodedSource } from '../sources/transcode/transcoded-source.ts';
import { endingSource, isWorkerUrl, urlWorkerSource } from '../sources/url-worker.ts';
import type { Camera } from '../store/entities.ts';
import { maskedCameraUuid } from '../store/privacy-mask.ts';
import { isPushed, publishDigestOf } from '../store/pushed-address.ts';
import type { CameraCheck } from '../stream/camera-check.ts';
import { CameraLog } from '../stream/camera-log.ts';
import type { CompatibleEncoder } from '../stream/compatible-variant.ts';
import type { HubCamera, MaskedCamera } from '../stream/hub.ts';
import type { LiveSpeaker } from '../stream/media/live-speaker.ts';
import type { Source } from '../stream/source/source.ts';
import type { AddressRules } from './address-rules.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { isOperatorsCamera } from './operators-camera.ts';

/** A camera that takes longer for a description is as good as silent. */
const CHECK_TIMEOUT_MS = 5_000;

export interface CameraSourcesOptions {
  readonly pool: WorkerPool;
  readonly binary: FfmpegBinary;
  /** null: each camera's audio has a worker. */
  readonly soundServers: SoundServers | null;
  readonly clock: Clock;
  readonly log: Log;
  /** The time from connecting to the response to PLAY. */
  readonly connectTimeoutMs: number;
  readonly silenceMs: number;
  readonly addressRules: AddressRules;
  /** Certificates that the signers of video must lead to, PEM; empty: none are trusted. */
  readonly signingAnchors: string;
  /** Where devices push the video of cameras with a publish key. */
  readonly rtmp: RtmpListener;
  /** Where cameras are read; null: by this thread. */
  readonly cameraThreads: CameraThreadChoice | null;
}

export class CameraSources {
  readonly #options: CameraSourcesOptions;
  readonly #logins: LoginGuard;

  constructor(options: CameraSourcesOptions) {
    this.#options = options;
    this.#logins = new LoginGuard(options.clock);
  }

  /** The camera's place at the RTMP listener is part of it: see `removed`. */
  hubCamera(camera: Camera): HubCamera {
    const { uuid, name, rtspUrl, substreamUrl } = camera;
    const log = new CameraLog(this.#options.log, uuid, name);
    const publishDigest = publishDigestOf(rtspUrl);
    if (publishDigest === null) this.#options.rtmp.remove(uuid);
    return {
      uuid,
      name,
      log,
      fingerprint: fingerprint(camera, this.#reach(camera).addressRule.networks),
      main: isPushed(rtspUrl)
        ? this.#pushed(camera, publishDigest, log)
        : this.#guarded(camera, rtspUrl, log, 'largest'),
      sub: substreamUrl === null ? null : this.#guarded(camera, substreamUrl, log, 'smallest'),
      compatible: this.#compatible(camera, log),
      soundEncoder: this.#soundEncoder(camera, log),
      speaker: this.#speaker(camera),
      masked: this.#masked(camera, log),
      check: this.#check(camera),
      onReplacing: () => this.forgiveLogins(camera),
    };
  }

  /** The camera no longer runs. */
  removed(cameraUuid: Ruuid): void {
    this.#options.rtmp.remove(cameraUuid);
  }

  /** The camera's logins may be tried immediately, whatever the outcome of earlier tries. */
  forgiveLogins({ rtspUrl, substreamUrl }: Camera): void {
    this.#logins.forgive(rtspUrl);
    if (substreamUrl !== null) this.#logins.forgive(substreamUrl);
  }

  /** `digest`: of its publish key; null: it has none. */
  #pushed(camera: Camera, digest: string | null, log: Log): Source {
    if (digest === null) return endingSource('rtmp', new GatewayError(RTMP_ERRORS.RTMP_NO_KEY));
    const { rtmp, clock } = this.#options;
    const slot = rtmp.put(camera.uuid, digest, camera.audio === 'off' ? 'off' : this.#sound(camera, log));
    return new PublishSource({ slot, clock, log, listenFault: () => rtmp.fault });
  }

  #guarded(camera: Camera, url: CredentialUrl, log: Log, variant: VariantSize): Source {
    return this.#logins.guard(this.#source(camera, url, log, variant), url, camera.orgUuid);
  }

  /** null: the device pushes, or only a worker could ask. */
  #check(camera: Camera): CameraCheck | null {
    const { orgUuid: organization, rtspUrl: url, transport } = camera;
    if (isPushed(url)) return null;
    const { clock, connectTimeoutMs } = this.#options;
    const timeoutMs = Math.min(connectTimeoutMs, CHECK_TIMEOUT_MS);
    const source = cameraCheck({ url, transport, clock, timeoutMs, ...this.#reach(camera) });
    if (source === null) return null;
    const guarded = this.#logins.guardCheck(source, url, organization);
    return { source: guarded, organization, address: `${url.hostname}:${url.port}` };
  }

  /** `variant`: where the URL offers several. */
  #source(camera: Camera, url: CredentialUrl, log: Log, variant: VariantSize): Source {
    if (isHttp(url)) return this.#http(camera, url, log, variant);
    if (isWorkerUrl(url.protocol)) return this.#urlWorker(camera, url, log);
    // What the substream shows, the main stream shows too.
    const signingAnchors = variant === 'largest' ? this.#options.signingAnchors : null;
    switch (camera.engine) {
      case 'direct':
        return this.#direct(camera, url, log, { signingAnchors, sound: this.#sound(camera, log) });
      case 'ffmpeg':
        return this.#ffmpeg(camera, url, log);
      case 'auto':
        return new AutoSource({
          direct: (observer) =>
            this.#direct(camera, url, log, {
              signingAnchors,
              observer,
              sound: this.#sound(camera, log),
              jpeg: this.#jpeg(camera, log),
            }),
          ffmpeg: this.#ffmpeg(camera, url, log),
          encoder: this.#ffmpeg(camera, url, log, true),
          clock: this.#options.clock,
          log,
        });
    }
  }

  /** null: no worker may run. */
  #compatible(camera: Camera, log: Log): CompatibleEncoder | null {
    const { pool, binary, clock } = this.#options;
    if (!pool.isAllowed) return null;
    return {
      source: (feed) => new TranscodedSource({ feed, pool, binary, clock, log, camera }),
      propertiesOf: transcodedProperties,
    };
  }

  /** null: the device pushes, or is not reached over RTSP. */
  #speaker(camera: Camera): LiveSpeaker | null {
    const { rtspUrl: url } = camera;
    if (isPushed(url)) return null;
    const speaker = rtspSpeaker({ url, clock: this.#options.clock, ...this.#reach(camera) });
    return speaker === null ? null : this.#logins.guardSpeaker(speaker, url, camera.orgUuid);
  }

  #soundEncoder(camera: Camera, log: Log): OpusEncoder {
    const { pool, binary, clock, soundServers: servers } = this.#options;
    return new OpusEncoder({ servers, organization: camera.orgUuid, pool, binary, clock, log, camera });
  }

  /** null: it has no masks. */
  #masked(camera: Camera, log: Log): MaskedCamera | null {
    const { pool, binary, clock } = this.#options;
    if (camera.masks.length === 0) return null;
    const masks = camera.masks.map(({ points }) => points);
    return {
      uuid: maskedCameraUuid(camera.uuid, camera.masks),
      source: (feed) =>
        pool.isAllowed
          ? new TranscodedSource({ feed, masks, pool, binary, clock, log, camera })
          : endingSource('transcode', new GatewayError(DEVICE_ERRORS.MASKS_NEED_WORKER)),
    };
  }

  /** Where the camera may be, and what its certificate must prove. An unreadable value requires verification. */
  #reach(camera: Camera): { readonly addressRule: AddressRule; readonly tls: TlsTrust } {
    return {
      addressRule: this.#options.addressRules.for({
        reach: isOperatorsCamera(camera) ? 'anywhere' : 'no-local',
        orgUuid: camera.orgUuid,
      }),
      tls: parseTlsTrust(camera.tls) ?? 'verify',
    };
  }

  #direct(
    camera: Camera,
    url: CredentialUrl,
    log: Log,
    more: Pick<DirectRtspOptions, 'signingAnchors' | 'observer' | 'sound' | 'jpeg'>,
  ): Source {
    const { clock, connectTimeoutMs, silenceMs, cameraThreads, pool } = this.#options;
    const order = {
      transport: camera.transport,
      isSilent: camera.audio === 'off',
      mayUseCameraTime: camera.clock === 'camera',
      signingAnchors: more.signingAnchors ?? null,
      timeouts: { handshakeMs: connectTimeoutMs, silenceMs },
      ...this.#reach(camera),
    };
    const local = new DirectRtspSource({ url, clock, log, ...order, ...more });
    // If a worker transcodes all audio, this thread feeds it.
    if (cameraThreads === null || (camera.audio === 'aac' && camera.engine === 'auto')) return local;
    const isAuto = camera.engine === 'auto';
    return new ThreadedRtspSource({
      threads: cameraThreads,
      local,
      log,
      ...(more.observer === undefined ? {} : { observer: more.observer }),
      order: { ...order, url: url.reveal(), isAuto, hasSoundWorker: isAuto && pool.isAllowed },
    });
  }

  /** A worker from the same pool encodes Motion JPEG while someone wants video. */
  #jpeg(camera: Camera, log: Log): JpegPaths {
    const { pool, binary, clock } = this.#options;
    return {
      open: (sink) =>
        new MotionJpeg(sink, (feed) => new TranscodedSource({ feed, pool, binary, clock, log, camera })),
    };
  }

  /** Workers from the pool transcode what browsers cannot play, or everything for a camera that requests AAC. */
  #sound(camera: Camera, log: Log): SoundPaths {
    const { pool, binary, clock } = this.#options;
    if (camera.engine === 'direct') return new CameraSoundPaths(clock, null);
    const worker = new WorkerSoundPaths({ pool, binary, clock, log, camera });
    if (camera.audio !== 'aac') return new CameraSoundPaths(clock, worker);
    const { soundServers } = this.#options;
    if (soundServers === null) return worker;
    return new PooledSoundPaths(soundServers, worker, camera.orgUuid, log);
  }

  #ffmpeg(camera: Camera, url: CredentialUrl, log: Log, encodesVideo = false): FfmpegSource {
    const input = { kind: 'rtsp', url, transport: camera.transport } as const;
    return new FfmpegSource({ input, encodesVideo, ...this.#worker(camera, log), ...this.#reach(camera) });
  }

  #http(camera: Camera, url: CredentialUrl, log: Log, variant: VariantSize): Source {
    const { clock, connectTimeoutMs, silenceMs } = this.#options;
    const worker: FedWorker = (format, firstPlan, feed) =>
      new FfmpegSource({ input: { kind: 'fed', format }, firstPlan, feed, ...this.#worker(camera, log) });
    return new HttpSource({
      url,
      clock,
      log,
      silenceMs,
      startMs: connectTimeoutMs + silenceMs,
      variant,
      worker: camera.engine === 'direct' ? null : worker,
      isAlwaysWorker: camera.engine === 'ffmpeg',
      isSilent: camera.audio === 'off',
      ...this.#reach(camera),
    });
  }

  #urlWorker(camera: Camera, url: CredentialUrl, log: Log): Source {
    if (camera.engine === 'direct') {
      return endingSource('direct', new GatewayError(PULL_ERRORS.PULL_NEEDS_WORKER));
    }
    return urlWorkerSource(url, { ...this.#worker(camera, log), ...this.#reach(camera) });
  }

  #worker(camera: Camera, log: Log): Omit<FfmpegSourceOptions, 'input'> {
    const { pool, binary, clock, connectTimeoutMs, silenceMs } = this.#options;
    const limits = { startMs: connectTimeoutMs + silenceMs, stallMs: silenceMs };
    return { binary, pool, clock, log, camera, ...limits, isSilent: camera.audio === 'off' };
  }
}

/** Changes when the camera must be reopened. A digest, because URLs hold credentials. */
function fingerprint(camera: Camera, networks: AddressNetworks): string {
  const { rtspUrl, substreamUrl, engine, transport, audio, tls, clock } = camera;
  const parts = [rtspUrl.reveal(), substreamUrl?.reveal() ?? null, engine, transport, audio, tls, clock];
  // A camera without such rules keeps the fingerprint that it had.
  if (networks.operator.length + networks.organization.length > 0) parts.push(JSON.stringify(networks));
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
