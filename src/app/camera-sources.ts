/** From a camera of the store to what the hub opens: the sources of its engine and transport. */

import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { AutoSource } from '../sources/auto-source.ts';
import { type DirectRtspOptions, DirectRtspSource } from '../sources/direct/direct-rtsp-source.ts';
import { FfmpegSource } from '../sources/ffmpeg/ffmpeg-source.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import { WorkerSoundPaths } from '../sources/sound/worker-sound.ts';
import type { Camera } from '../store/entities.ts';
import type { HubCamera } from '../stream/hub.ts';
import type { Source } from '../stream/source.ts';

export interface CameraSourcesOptions {
  readonly pool: WorkerPool;
  readonly binary: FfmpegBinary;
  readonly clock: Clock;
  readonly log: Log;
  /** From connecting to the answer to PLAY. */
  readonly connectTimeoutMs: number;
  readonly silenceMs: number;
}

export class CameraSources {
  readonly #options: CameraSourcesOptions;

  constructor(options: CameraSourcesOptions) {
    this.#options = options;
  }

  hubCamera(camera: Camera): HubCamera {
    return {
      uuid: camera.uuid,
      fingerprint: fingerprint(camera),
      main: this.#source(camera, camera.rtspUrl),
      sub: camera.substreamUrl === null ? null : this.#source(camera, camera.substreamUrl),
    };
  }

  #source(camera: Camera, url: CredentialUrl): Source {
    const log = this.#options.log.child({ camera: camera.uuid, name: camera.name });
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
    });
  }

  /** Sound that is not AAC is coded by workers of the same pool. */
  #sound(log: Log): SoundPaths {
    const { pool, binary, clock } = this.#options;
    return new WorkerSoundPaths({ pool, binary, clock, log });
  }

  #ffmpeg(camera: Camera, url: CredentialUrl, log: Log): Source {
    const { pool, binary, clock, connectTimeoutMs, silenceMs } = this.#options;
    const startMs = connectTimeoutMs + silenceMs;
    const input = { kind: 'rtsp', url, transport: camera.transport } as const;
    return new FfmpegSource({ input, binary, pool, clock, log, startMs, stallMs: silenceMs });
  }
}

/** Changes when the camera must be opened anew. A digest: addresses hold credentials. */
function fingerprint(camera: Camera): string {
  const { rtspUrl, substreamUrl, engine, transport } = camera;
  const parts = [rtspUrl.reveal(), substreamUrl?.reveal() ?? null, engine, transport];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
