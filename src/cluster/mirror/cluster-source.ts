/** The source of a camera's stream in a cluster: the camera itself while this node owns it, the owner's windows otherwise. */

import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { ProfileName } from '../../stream/media/renditions.ts';
import type { CameraRole } from '../../stream/numbering/camera-ownership.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { NodeLink } from '../links/node-link.ts';
import { LocalStream, type PreparedEvents } from '../local-stream/local-stream.ts';
import type { ClusterCamera, RoleMember } from './cluster-camera.ts';
import type { MirrorClient } from './mirror-client.ts';
import { MirroredStream } from './mirrored-stream.ts';

export interface ClusterSourceOptions {
  readonly cameraUuid: Ruuid;
  readonly profile: ProfileName;
  readonly camera: ClusterCamera;
  readonly client: MirrorClient;
  readonly clock: Clock;
  /** The camera itself. */
  readonly local: Source;
}

export class ClusterSource implements Source {
  readonly #options: ClusterSourceOptions;

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
  }

  get engine(): string {
    return this.#options.local.engine;
  }

  open(sink: SourceSink): SourceInstance {
    return new ClusterInstance(sink, this.#options);
  }
}

class ClusterInstance implements SourceInstance, RoleMember {
  readonly #sink: SourceSink;
  readonly #options: ClusterSourceOptions;
  #current: SourceInstance | null = null;
  /** The camera itself, while it is what `#current` is. */
  #local: LocalStream | null = null;
  /** The camera itself, opened before this node owns it. */
  #prepared: LocalStream | null = null;
  /** Resolves when the closed streams have released everything. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(sink: SourceSink, options: ClusterSourceOptions) {
    this.#sink = sink;
    this.#options = options;
    options.camera.enter(this);
  }

  get profile(): ProfileName {
    return this.#options.profile;
  }

  get engine(): string {
    return this.#options.local.engine;
  }

  get local(): LocalStream | null {
    return this.#local;
  }

  get prepared(): LocalStream | null {
    return this.#prepared;
  }

  prepare(events: PreparedEvents): void {
    const { local, clock } = this.#options;
    this.endPrepared();
    this.#prepared = LocalStream.prepare(local, events, clock);
  }

  endPrepared(): void {
    if (this.#prepared !== null) this.#close(this.#prepared);
    this.#prepared = null;
  }

  play(role: CameraRole | null, link: NodeLink | null, isReady: Promise<unknown>): void {
    this.#closeCurrent();
    if (role === null || this.#sink.isOver) return;
    const sink = this.#sink.branch();
    if (link !== null) this.#current = this.#mirror(sink, link);
    else {
      const { local, clock, camera, profile } = this.#options;
      const onBegun = (): void => camera.begun(profile);
      this.#local = this.#prepared ?? LocalStream.open(local, sink, clock, onBegun);
      this.#current = this.#local;
      if (this.#prepared !== null) void passWhen(isReady, this.#prepared, sink);
      this.#prepared = null;
    }
  }

  fail(error: GatewayError): void {
    this.#closeCurrent();
    this.#sink.onEnded(error);
  }

  async close(): Promise<void> {
    this.#options.camera.leave(this);
    this.#sink.close();
    this.#closeCurrent();
    this.endPrepared();
    await this.#closing;
  }

  #mirror(sink: SourceSink, link: NodeLink): SourceInstance {
    const { cameraUuid, profile, client, clock, camera } = this.#options;
    const onLost = (): void => camera.lost(link);
    const onHeir = (runId: string | null): void => camera.heirTold(link, runId);
    return MirroredStream.open({ client, link, cameraUuid, profile, sink, clock, onLost, onHeir });
  }

  #closeCurrent(): void {
    if (this.#current !== null) this.#close(this.#current);
    this.#current = null;
    this.#local = null;
  }

  #close(instance: SourceInstance): void {
    this.#closing = Promise.all([this.#closing, instance.close()]);
  }
}

/** Nothing of it is published before there are numbers. */
async function passWhen(isReady: Promise<unknown>, prepared: LocalStream, sink: SourceSink): Promise<void> {
  await isReady;
  if (!sink.isOver) prepared.passTo(sink);
}
