/**
 * Cameras whose devices push their video to this node of a cluster: it owns them for as long as they do. Another node that owns
 * one gives it up, unless a device pushes to that node (docs/design/push.md#nodes-of-a-cluster).
 */

import { type Clock, pause } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { RTMP_ERRORS } from '../../sources/rtmp/errors.ts';
import type { RtmpListener } from '../../sources/rtmp/rtmp-listener.ts';
import type { Cluster } from '../cluster.ts';

/** A request to the owner: YieldAnswer. */
const YIELD = 'push.yield';
/** To all nodes: a device pushes this camera, and its owner has it. Those that wait for another attempt make it now. */
const PUSHED = 'push.began';
/** A lease of a node that has crashed is over long before that. */
export const CLAIM_MS = 10_000;
export const CLAIM_RETRY_MS = 200;

/** `in-use`: a device pushes there. `free`: the owner has given the camera up, or is not the owner. */
type YieldResponse = 'in-use' | 'free';

export type PushNodes = Pick<
  Cluster,
  'links' | 'absence' | 'roleOf' | 'linkToOwner' | 'own' | 'yieldTo' | 'follow' | 'tell' | 'onTold'
>;

export interface PushedHereOptions {
  readonly nodes: PushNodes;
  readonly desk: () => Pick<RtmpListener, 'makeRoom' | 'turnAway'>;
  /** The camera can be opened without waiting. */
  readonly onPushed: (cameraUuid: Ruuid) => void;
  readonly clock: Clock;
}

/** A camera whose publisher is at this node. */
interface Pushed {
  isClaiming: boolean;
  unfollow: (() => void) | null;
}

export class PushedHere {
  readonly #options: PushedHereOptions;
  readonly #cameras = new Map<Ruuid, Pushed>();

  constructor(options: PushedHereOptions) {
    this.#options = options;
    const { nodes, desk } = options;
    nodes.links.onRequest(YIELD, async ({ link, body }) => {
      const { camera } = body as { readonly camera: Ruuid };
      if (!desk().makeRoom(camera)) return { body: 'in-use' satisfies YieldResponse };
      const { nodeId, runId } = link.peer;
      await nodes.yieldTo(camera, { nodeId, runId: runId as Ruuid });
      return { body: 'free' satisfies YieldResponse };
    });
    nodes.onTold(PUSHED, (body) => options.onPushed((body as { readonly camera: Ruuid }).camera));
  }

  /** A publisher is seated. */
  came(cameraUuid: Ruuid): void {
    const pushed: Pushed = { isClaiming: false, unfollow: null };
    this.#cameras.set(cameraUuid, pushed);
    void this.#claim(cameraUuid, pushed);
  }

  /** It is gone. */
  left(cameraUuid: Ruuid): void {
    this.#cameras.get(cameraUuid)?.unfollow?.();
    this.#cameras.delete(cameraUuid);
  }

  /** Resolves when this node owns the camera, or when the publisher is rejected. */
  async #claim(cameraUuid: Ruuid, pushed: Pushed): Promise<void> {
    const { clock, nodes } = this.#options;
    if (pushed.isClaiming) return;
    pushed.isClaiming = true;
    const untilMonoMs = clock.monoMs() + CLAIM_MS;
    let cause: GatewayError | undefined;
    while (this.#isWithout(cameraUuid, pushed)) {
      if (nodes.absence === 'draining' || clock.monoMs() >= untilMonoMs) {
        const context = { cause: cause?.code };
        this.#turnAway(cameraUuid, new GatewayError(RTMP_ERRORS.RTMP_AT_OTHER_NODE, context, cause));
        break;
      }
      cause = await this.#attempt(cameraUuid);
      if (cause !== undefined) await pause(clock, CLAIM_RETRY_MS);
    }
    pushed.isClaiming = false;
    if (this.#cameras.get(cameraUuid) !== pushed) return;
    // A camera that is followed is kept. If the lease is lost, this node claims it again.
    pushed.unfollow ??= nodes.follow(cameraUuid, (role) => {
      if (role !== 'owner') queueMicrotask(() => void this.#claim(cameraUuid, pushed));
    });
    if (this.#isWithout(cameraUuid, pushed)) {
      void this.#claim(cameraUuid, pushed);
      return;
    }
    this.#options.onPushed(cameraUuid);
    nodes.tell(PUSHED, { camera: cameraUuid });
  }

  #isWithout(cameraUuid: Ruuid, pushed: Pushed): boolean {
    return this.#cameras.get(cameraUuid) === pushed && this.#options.nodes.roleOf(cameraUuid) !== 'owner';
  }

  /** Resolves with what went wrong. */
  async #attempt(cameraUuid: Ruuid): Promise<GatewayError | undefined> {
    const { nodes } = this.#options;
    try {
      const link = await nodes.linkToOwner(cameraUuid);
      if (link !== null) {
        const { body } = await link.request(YIELD, { camera: cameraUuid });
        if ((body as YieldResponse) === 'in-use') {
          this.#turnAway(
            cameraUuid,
            new GatewayError(RTMP_ERRORS.RTMP_KEY_IN_USE, { node: link.peer.nodeId }),
          );
          return undefined;
        }
      }
      await nodes.own(cameraUuid);
      return undefined;
    } catch (thrown) {
      return toGatewayError(thrown);
    }
  }

  #turnAway(cameraUuid: Ruuid, error: GatewayError): void {
    this.#options.desk().turnAway(cameraUuid, error);
  }
}
