/** Gives all cameras of this node to the nodes that should have them next (docs/design/drain.md). */

import type { Clock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { ClusterCamera } from '../mirror/cluster-camera.ts';
import { placeOf } from '../mirror/node-place.ts';
import type { ClusterNode } from '../nodes/cluster-node.ts';
import type { ClusterNodeInfo } from '../nodes/node-info.ts';
import { CameraGiver } from './camera-giver.ts';
import { TO_HEIR } from './handover-messages.ts';

/** Out of the time for the drain, for cameras that cannot be handed over without a gap. */
const PLAIN_HANDOVER_MS = 1_500;

export interface CameraDrainOptions {
  readonly node: Pick<ClusterNode, 'leases' | 'ownership' | 'registry' | 'run'>;
  readonly links: NodeLinks;
  /** Those that this node knows, as they come. */
  readonly cameras: ReadonlyMap<Ruuid, ClusterCamera>;
  /** The link by which that run mirrors the camera; null: it does not. */
  readonly linkOf: (cameraUuid: Ruuid, runId: Ruuid) => NodeLink | null;
  readonly streamOf: (cameraUuid: Ruuid) => CameraStream | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export class CameraDrain {
  readonly #options: CameraDrainOptions;
  readonly #giver: CameraGiver;

  constructor(options: CameraDrainOptions) {
    const { links, clock, log } = options;
    this.#options = options;
    this.#giver = new CameraGiver(links, clock, log);
  }

  /** Resolves when other nodes have the cameras. */
  async run(limitMs: number): Promise<void> {
    const { cameras, clock, log } = this.#options;
    const untilMonoMs = clock.monoMs() + limitMs;
    log.info({}, 'giving cameras to other nodes');
    const given = new Set<Ruuid>();
    // One that was acquired at this moment comes with the next round.
    for (;;) {
      const owned = [...cameras].filter(([uuid, { role }]) => role === 'owner' && !given.has(uuid));
      if (owned.length === 0) break;
      for (const [uuid] of owned) given.add(uuid);
      await Promise.all(
        owned.map(([uuid, camera]) => this.#handOver(uuid, camera, untilMonoMs - clock.monoMs())),
      );
    }
    log.info({ cameras: given.size }, 'other nodes have the cameras');
  }

  async #handOver(cameraUuid: Ruuid, camera: ClusterCamera, limitMs: number): Promise<void> {
    const { node } = this.#options;
    const heir = this.#heirOf(cameraUuid);
    const isCut = heir !== null && (await this.#cut(cameraUuid, camera, heir, limitMs - PLAIN_HANDOVER_MS));
    if (heir !== null && !isCut)
      this.#giver.uncut(cameraUuid, this.#publishedOf(cameraUuid), placeOf(heir, false));
    await camera.drain();
    const isGiven = heir !== null && (await node.leases.handOver(cameraUuid, heir));
    if (!isGiven) await node.leases.release(cameraUuid);
    else if (isCut) await this.#letTake(cameraUuid, heir);
    camera.drained();
  }

  /** Whether nothing is missing between the parts published here and those that the heir can publish. */
  async #cut(
    cameraUuid: Ruuid,
    camera: ClusterCamera,
    node: ClusterNodeInfo,
    limitMs: number,
  ): Promise<boolean> {
    const renditions = this.#publishedOf(cameraUuid);
    const heir = placeOf(node, false);
    if (renditions.length === 0) return false;
    try {
      await this.#giver.cut({ cameraUuid, members: camera.members, renditions, heir, limitMs });
      return true;
    } catch (thrown) {
      const err = toGatewayError(thrown);
      this.#options.log.warn({ camera: cameraUuid, to: heir.nodeId, err }, 'camera handed over with a gap');
      return false;
    }
  }

  async #letTake(cameraUuid: Ruuid, heir: ClusterNodeInfo): Promise<void> {
    try {
      const { linkOf, links } = this.#options;
      const link = linkOf(cameraUuid, heir.runId) ?? (await links.linkTo(placeOf(heir, false)));
      await link.request(TO_HEIR.take, { camera: cameraUuid });
    } catch (thrown) {
      const err = toGatewayError(thrown);
      this.#options.log.warn({ camera: cameraUuid, to: heir.nodeId, err }, 'camera not taken over at once');
    }
  }

  /** The node that should have the camera next; null: there is none. */
  #heirOf(cameraUuid: Ruuid): ClusterNodeInfo | null {
    const { ownership, registry, run: self } = this.#options.node;
    for (const run of ownership.ranking(cameraUuid)) {
      const node = registry.find(run);
      if (node !== null && !node.isDraining && node.runId !== self.runId) return node;
    }
    return null;
  }

  #publishedOf(cameraUuid: Ruuid): RenditionName[] {
    const stream = this.#options.streamOf(cameraUuid);
    if (stream === undefined) return [];
    const names = stream
      .profiles()
      .flatMap((profile) => [...profile.renditions.named()].map(({ name }) => name));
    return names.filter((name) => stream.published(name) !== null);
  }
}
