import { expect, vi } from 'vitest';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import type { SourceEvents } from '../../stream/source/source-events.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { type DirectRtspOptions, DirectRtspSource } from './direct-rtsp-source.ts';
import { type CameraScript, decentScript, FakeCamera } from './fake-camera.ts';

/** Records the output of an instance. */
export class Recorder implements SourceEvents {
  readonly tracks: (readonly Track[])[] = [];
  unitCount = 0;
  keyCount = 0;
  readonly errors: GatewayError[] = [];
  readonly #ended = Promise.withResolvers<GatewayError>();

  onTracks(tracks: readonly Track[]): void {
    this.tracks.push(tracks);
  }
  onAccessUnit(unit: AccessUnit): void {
    this.unitCount += 1;
    if (unit.isKey) this.keyCount += 1;
  }
  onDropped(): void {}
  onEnded(error: GatewayError): void {
    this.errors.push(error);
    this.#ended.resolve(error);
  }
  get ended(): Promise<GatewayError> {
    return this.#ended.promise;
  }
  get eventCount(): number {
    return this.tracks.length + this.unitCount + this.errors.length;
  }
}

/** A process that is sometimes paused: time passes, but its timers are late. */
export class PausableClock extends FakeClock {
  #stoodStillMs = 0;

  override monoMs(): number {
    return super.monoMs() + this.#stoodStillMs;
  }

  standStill(forMs: number): void {
    this.#stoodStillMs += forMs;
  }
}

/** Waits for a condition; the timeout only limits a failing test. */
export const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
const cameras: FakeCamera[] = [];
const instances: SourceInstance[] = [];

export async function listen(script: CameraScript, tlsPem: Buffer | null = null): Promise<FakeCamera> {
  const camera = await FakeCamera.listen(script, tlsPem);
  cameras.push(camera);
  return camera;
}

export function open(
  url: string,
  options: Partial<DirectRtspOptions> = {},
): { recorder: Recorder; instance: SourceInstance } {
  const recorder = new Recorder();
  const defaults = {
    url: new CredentialUrl(url),
    transport: 'auto',
    clock: systemClock,
    log: silentLog,
  } as const;
  const instance = new DirectRtspSource({ ...defaults, ...options }).open(new SourceSink(recorder));
  instances.push(instance);
  return { recorder, instance };
}

/** An instance of a playing camera, with time under the test's control. */
export async function openPlaying(
  camera: FakeCamera,
  clock: Clock,
): Promise<{ recorder: Recorder; instance: SourceInstance }> {
  const opened = open(camera.url(), { clock });
  await eventually(() => expect(opened.recorder.unitCount).toBeGreaterThan(0));
  return opened;
}

/** `script`, but with `handler` for `method`. */
export function except(
  method: string,
  handler: CameraScript,
  script: CameraScript = decentScript(),
): CameraScript {
  return (request, connection) => (request.method === method ? handler : script)(request, connection);
}

/** Call in each file's `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(cameras.splice(0).map((camera) => camera.close()));
  await Promise.all(instances.splice(0).map((instance) => instance.close()));
}

/** Waits until no socket is open in this thread. At the start of a test: until those of the test before are closed. */
export function noSocketLeft(): Promise<void> {
  const sockets = () =>
    process.getActiveResourcesInfo().filter((kind) => /^(?:TCPSocket|UDP|TLS)/.test(kind));
  return eventually(() => expect(sockets()).toEqual([]));
}
