/** From a stored camera to what the hub opens: the sources for its engine and transport. */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { AutoSource } from '../sources/auto-source.ts';
import { type DirectRtspOptions, DirectRtspSource } from '../sources/direct/direct-rtsp-source.ts';
import { FfmpegSource } from '../sources/ffmpeg/ffmpeg-source.ts';
import { LoginGuard } from '../sources/login-guard.ts';
import type { AddressRule } from '../sources/network/camera-address.ts';
import { parseTlsTrust, type TlsTrust } from '../sources/network/tls-trust.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import { WorkerSoundPaths } from '../sources/sound/worker-sound.ts';
import type { Camera } from '../store/entities.ts';
import { CameraLog } from '../stream/camera-log.ts';
import type { HubCamera } from '../stream/hub.ts';
import type { Source } from '../stream/source.ts';
import { DEMO_CAMERA_UUID } from './demo.ts';

export interface CameraSourcesOptions {
  readonly pool: WorkerPool;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
  readonly log: Log;
  /** From connecting to the response to PLAY. */
  readonly connectTimeoutMs: number;
  readonly silenceMs: number;
  /** Where cameras may be that the operator did not declare. */
  readonly undeclaredRule: AddressRule;
}

export class CameraSources {
  readonly #options: CameraSourcesOptions;
  readonly #logins: LoginGuard;

  constructor(options: CameraSourcesOptions) {
    this.#options = options;
    this.#logins = new LoginGuard(options.clock);
  }

  hubCamera(camera: Camera): HubCamera {
    const { uuid, name, rtspUrl, substreamUrl } = camera;
    const log = new CameraLog(this.#options.log, uuid, name);
    return {
      ...{ uuid, name, log },
      fingerprint: fingerprint(camera),
      main: this.#guarded(camera, rtspUrl, log),
      sub: substreamUrl === null ? null : this.#guarded(camera, substreamUrl, log),
      onReplacing: () => this.forgiveLogins(camera),
    };
  }

  /** The camera's logins may be tried immediately, whatever the outcome of earlier tries. */
  forgiveLogins({ rtspUrl, substreamUrl }: Camera): void {
    this.#logins.forgive(rtspUrl);
    if (substreamUrl !== null) this.#logins.forgive(substreamUrl);
  }

  #guarded(camera: Camera, url: CredentialUrl, log: Log): Source {
    return this.#logins.guard(this.#source(camera, url, log), url);
  }

  #source(camera: Camera, url: CredentialUrl, log: Log): Source {
    switch (camera.engine) {
      case 'direct':
        return this.#direct(camera, url, log);
      case 'ffmpeg':
        return this.#ffmpeg(camera, url, log);
      case 'auto':
        return new AutoSource({
          direct: (observer) => this.#direct(camera, url, log, { observer, sound: this.#sound(log) }),
          ffmpeg: this.#ffmpeg(camera, url, log),
          log,
        });
    }
  }

  /** Where the camera may be, and what its certificate must prove. An unreadable value requires verification. */
  #reach(camera: Camera): { readonly addressRule: AddressRule; readonly tls: TlsTrust } {
    const isDeclared = camera.fromConfig || camera.uuid === DEMO_CAMERA_UUID;
    return {
      addressRule: isDeclared ? 'anywhere' : this.#options.undeclaredRule,
      tls: parseTlsTrust(camera.tls) ?? 'verify',
    };
  }

  #direct(
    camera: Camera,
    url: CredentialUrl,
    log: Log,
    more: Pick<DirectRtspOptions, 'observer' | 'sound'> = {},
  ): Source {
    const { clock, connectTimeoutMs, silenceMs } = this.#options;
    return new DirectRtspSource({
      url,
      transport: camera.transport,
      clock,
      log,
      ...more,
      timeouts: { handshakeMs: connectTimeoutMs, silenceMs },
      ...this.#reach(camera),
    });
  }

  /** Workers from the same pool transcode audio that is not AAC. */
  #sound(log: Log): SoundPaths {
    const { pool, binary, clock } = this.#options;
    return new WorkerSoundPaths({ pool, binary, clock, log });
  }

  #ffmpeg(camera: Camera, url: CredentialUrl, log: Log): Source {
    const { pool, binary, clock, connectTimeoutMs, silenceMs } = this.#options;
    const startMs = connectTimeoutMs + silenceMs;
    const input = { kind: 'rtsp', url, transport: camera.transport } as const;
    return new FfmpegSource({
      input,
      binary,
      pool,
      clock,
      log,
      startMs,
      stallMs: silenceMs,
      ...this.#reach(camera),
    });
  }
}

/** Changes when the camera must be reopened. A digest, because URLs hold credentials. */
function fingerprint(camera: Camera): string {
  const { rtspUrl, substreamUrl, engine, transport, tls } = camera;
  const parts = [rtspUrl.reveal(), substreamUrl?.reveal() ?? null, engine, transport, tls];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
