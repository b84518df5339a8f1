/** Takes over cameras of other nodes without a gap: reads the camera in parallel with its mirror, and begins where the other node stops. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { wireErrorOf } from '../../core/wire-error.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import { interestOf, type ProfileName, RENDITIONS } from '../../stream/media/renditions.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { ClusterCamera, RoleMember } from '../mirror/cluster-camera.ts';
import { MIRROR_ERRORS } from '../mirror/errors.ts';
import { HANDOVER_ERRORS } from './errors.ts';
import {
  type HandoverOrder,
  type OfCamera,
  type StreamCutPoint,
  TO_GIVER,
  TO_HEIR,
  type UncutCamera,
} from './handover-messages.ts';
import { type HandoverCounts, TakenCameras } from './taken-cameras.ts';

/** How long the windows of the other node may take to arrive. */
const MIRROR_MS = 4_000;
/** How long the camera is read without being owned: longer than a drain takes. */
const PREPARED_MS = 20_000;

export interface CameraHeirOptions {
  readonly links: NodeLinks;
  readonly clock: Clock;
  readonly log: Log;
  streamOf(cameraUuid: Ruuid): CameraStream | null;
  cameraOf(cameraUuid: Ruuid): ClusterCamera;
}

export class CameraHeir {
  readonly #options: CameraHeirOptions;
  /** Called when something of the camera has changed. */
  readonly #looks = new Map<Ruuid, () => void>();
  readonly #limits = new Map<Ruuid, TimerHandle>();
  readonly #taken: TakenCameras;

  constructor(options: CameraHeirOptions) {
    this.#options = options;
    this.#taken = new TakenCameras(options.clock, options.log);
    const { links, cameraOf } = options;
    links.onRequest(TO_HEIR.prepare, async ({ link, body }) => {
      await this.#prepare(link, body as HandoverOrder);
      return { body: null };
    });
    links.onMessage(TO_HEIR.begin, ({ body, link }) => this.#begin(link, body as StreamCutPoint));
    links.onMessage(TO_HEIR.uncut, ({ body, link }) => {
      const { camera, profiles } = body as UncutCamera;
      this.#taken.uncut(camera, link.peer.nodeId, profiles);
    });
    links.onRequest(TO_HEIR.take, async ({ body }) => {
      const { camera: cameraUuid } = body as OfCamera;
      const camera = cameraOf(cameraUuid);
      await camera.own();
      await camera.ready();
      this.#settle(cameraUuid);
      this.#taken.taken(cameraUuid);
      return { body: null };
    });
    links.onMessage(TO_HEIR.cancel, ({ body }) => this.#cancel((body as OfCamera).camera));
  }

  /** Cameras that this node got. */
  get counts(): HandoverCounts {
    return this.#taken.counts;
  }

  /** This node, which owns the camera, has its first key frame of this stream. */
  begun(cameraUuid: Ruuid, profile: ProfileName): void {
    this.#taken.begun(cameraUuid, profile);
  }

  changed(cameraUuid: Ruuid): void {
    this.#looks.get(cameraUuid)?.();
  }

  close(): void {
    for (const cameraUuid of [...this.#limits.keys()]) this.#cancel(cameraUuid);
  }

  /** Fails MIRROR_UNKNOWN_CAMERA and HANDOVER_TIMED_OUT. */
  async #prepare(link: NodeLink, { camera: cameraUuid, renditions, profiles }: HandoverOrder): Promise<void> {
    const { clock, streamOf, cameraOf } = this.#options;
    const stream = streamOf(cameraUuid);
    if (stream === null) throw new GatewayError(MIRROR_ERRORS.MIRROR_UNKNOWN_CAMERA, { camera: cameraUuid });
    for (const rendition of renditions) stream.touch(interestOf(rendition));
    // If viewers watch only derived streams, the main stream is not published. Audio opens no other stream.
    const isMainPublished = renditions.some((name) => RENDITIONS[name][0] === 'main');
    if (profiles.includes('main') && !isMainPublished) stream.touch('audio');
    this.#settle(cameraUuid);
    this.#limits.set(
      cameraUuid,
      clock.after(PREPARED_MS, () => this.#cancel(cameraUuid)),
    );
    for (const member of cameraOf(cameraUuid).members) {
      if (profiles.includes(member.profile)) this.#open(link, cameraUuid, member);
    }
    await this.#until(cameraUuid, () => renditions.every((name) => stream.published(name) !== null));
  }

  #open(link: NodeLink, camera: Ruuid, member: RoleMember): void {
    const { profile } = member;
    member.prepare({
      onKey: (key) => link.send({ kind: TO_GIVER.key, body: { camera, profile, key } }),
      onFailed: (error) => {
        link.send({ kind: TO_GIVER.failed, body: { camera, profile, error: wireErrorOf(error) } });
        this.#cancel(camera);
      },
    });
  }

  #begin(link: NodeLink, { camera, profile, point }: StreamCutPoint): void {
    const { by, intervalMs } = point;
    const found = (gapMs: number | null | undefined): void =>
      this.#taken.stream(camera, link.peer.nodeId, profile, { by, gapMs, intervalMs });
    found(undefined);
    for (const member of this.#options.cameraOf(camera).members) {
      if (member.profile === profile) member.prepared?.beginAt(point, found);
    }
  }

  /** Fails HANDOVER_TIMED_OUT. */
  #until(cameraUuid: Ruuid, isTrue: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timedOut = (): void => reject(new GatewayError(HANDOVER_ERRORS.HANDOVER_TIMED_OUT));
    const timer = this.#options.clock.after(MIRROR_MS, timedOut);
    const look = (): void => {
      if (isTrue()) resolve();
    };
    this.#looks.set(cameraUuid, look);
    look();
    return promise.finally(() => {
      timer.cancel();
      if (this.#looks.get(cameraUuid) === look) this.#looks.delete(cameraUuid);
    });
  }

  #cancel(cameraUuid: Ruuid): void {
    this.#settle(cameraUuid);
    this.#taken.forget(cameraUuid);
    for (const member of this.#options.cameraOf(cameraUuid).members) member.endPrepared();
  }

  #settle(cameraUuid: Ruuid): void {
    this.#limits.get(cameraUuid)?.cancel();
    this.#limits.delete(cameraUuid);
  }
}
