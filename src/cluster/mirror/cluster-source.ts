/** The source of a camera's stream in a cluster: the camera itself while this node owns it, the owner's windows otherwise. */

import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraRole } from '../../stream/camera-ownership.ts';
import type { ProfileName } from '../../stream/renditions.ts';
import type { Source, SourceInstance } from '../../stream/source.ts';
import type { SourceSink } from '../../stream/source-sink.ts';
import type { NodeLink } from '../links/node-link.ts';
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
  /** What was closed and has not released everything yet. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(sink: SourceSink, options: ClusterSourceOptions) {
    this.#sink = sink;
    this.#options = options;
    options.camera.enter(this);
  }

  play(role: CameraRole | null, link: NodeLink | null): void {
    this.#closeCurrent();
    if (role === null || this.#sink.isOver) return;
    const sink = this.#sink.branch();
    this.#current = link === null ? this.#options.local.open(sink) : this.#mirror(sink, link);
  }

  fail(error: GatewayError): void {
    this.#closeCurrent();
    this.#sink.onEnded(error);
  }

  async close(): Promise<void> {
    this.#options.camera.leave(this);
    this.#sink.close();
    this.#closeCurrent();
    await this.#closing;
  }

  #mirror(sink: SourceSink, link: NodeLink): SourceInstance {
    const { cameraUuid, profile, client, clock, camera } = this.#options;
    const onLost = (): void => camera.lost(link);
    return MirroredStream.open({ client, link, cameraUuid, profile, sink, clock, onLost });
  }

  #closeCurrent(): void {
    if (this.#current === null) return;
    this.#closing = Promise.all([this.#closing, this.#current.close()]);
    this.#current = null;
  }
}
