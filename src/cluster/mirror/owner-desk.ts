/** Serves the cameras that this node owns to the other nodes: one desk for all links, one subscription for each mirrored stream. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import { heirOf, type PlaceableNode } from '../nodes/placement.ts';
import type { Beat } from '../nodes/store-reliance.ts';
import { MIRROR_ERRORS } from './errors.ts';
import {
  type MirrorOpening,
  type MirrorPulse,
  type MirrorPulses,
  type MirrorTouches,
  type MirrorUnits,
  type MirrorWant,
  type Subscribed,
  TO_MIRROR,
  TO_OWNER,
  together,
} from './mirror-messages.ts';
import { Subscription } from './subscription.ts';

/** How often mirrors hear that the stream runs. */
const PULSE_MS = 1_000;
/** A whole window begins only when no more than this waits to be sent. */
const MAX_WAITING_BYTES = 4 * 1_048_576;
/** Subscriptions of one link: more than the streams of the cameras that one node carries. */
const MAX_SUBSCRIPTIONS = 100_000;

export interface OwnerDeskOptions {
  readonly links: NodeLinks;
  /** The camera that this node owns, or takes over now; null: it does not know it. Fails MIRROR_NOT_OWNER. */
  owned(cameraUuid: Ruuid): Promise<CameraStream | null>;
  /** Those of the cluster that live. */
  nodes(): readonly PlaceableNode[];
  /** If this node relies on the store: mirrors that have heard of it know sooner that it has ended. */
  beat?(): Beat | null;
  readonly clock: Clock;
  readonly log: Log;
}

type Heirs = ReadonlyMap<Ruuid, string | null>;

interface LinkFeed {
  readonly subscriptions: Map<number, Subscription>;
  /** Subscriptions with windows to begin, one after another. */
  readonly opening: Set<Subscription>;
}

export class OwnerDesk {
  readonly #options: OwnerDeskOptions;
  readonly #feeds = new Map<NodeLink, LinkFeed>();
  readonly #timer: { handle: TimerHandle };

  constructor(options: OwnerDeskOptions) {
    this.#options = options;
    const { links } = options;
    links.onClosed((link) => this.#forget(link));
    links.onRequest(TO_OWNER.open, async ({ link, body }) => {
      await this.#open(link, body as MirrorOpening);
      return { body: null };
    });
    links.onMessage(TO_OWNER.want, ({ link, body }) => {
      const { sub, rendition, isWanted } = body as MirrorWant;
      this.#of(link, sub)?.want(rendition, isWanted);
    });
    links.onMessage(TO_OWNER.touches, ({ link, body }) => {
      for (const { sub, urgency } of (body as MirrorTouches).touches) this.#of(link, sub)?.touch(urgency);
    });
    links.onMessage(TO_OWNER.units, ({ link, body }) => {
      const { sub, isWanted } = body as MirrorUnits;
      this.#of(link, sub)?.passUnits(isWanted);
    });
    links.onMessage(TO_OWNER.close, ({ link, body }) => this.#close(link, (body as Subscribed).sub));
    this.#timer = { handle: this.#armPulse() };
  }

  /** Streams that other nodes mirror. */
  get subscriptions(): number {
    let count = 0;
    for (const { subscriptions } of this.#feeds.values()) count += subscriptions.size;
    return count;
  }

  /** That of the run that mirrors the camera; null: it does not. Messages over it arrive behind everything that was published. */
  linkOf(cameraUuid: Ruuid, runId: string): NodeLink | null {
    for (const [link, { subscriptions }] of this.#feeds) {
      if (link.peer.runId !== runId) continue;
      for (const one of subscriptions.values()) if (one.cameraUuid === cameraUuid) return link;
    }
    return null;
  }

  /** Something of the camera has changed: a stream's state, its tracks, which of its renditions play. */
  changed(cameraUuid: Ruuid): void {
    for (const one of this.#all()) if (one.cameraUuid === cameraUuid) one.look();
  }

  /** This node no longer owns the camera, or no longer has it. */
  ended(cameraUuid: Ruuid): void {
    for (const feed of this.#feeds.values()) {
      for (const [sub, one] of feed.subscriptions) {
        if (one.cameraUuid !== cameraUuid) continue;
        feed.subscriptions.delete(sub);
        feed.opening.delete(one);
        one.end();
      }
    }
  }

  close(): void {
    this.#timer.handle.cancel();
    for (const link of [...this.#feeds.keys()]) this.#forget(link);
  }

  async #open(link: NodeLink, { sub, camera: cameraUuid, profile: name }: MirrorOpening): Promise<void> {
    const camera = await this.#options.owned(cameraUuid);
    const profile = camera?.profiles().find((one) => one.name === name);
    if (camera === null || profile === undefined) {
      throw new GatewayError(MIRROR_ERRORS.MIRROR_UNKNOWN_CAMERA, { camera: cameraUuid, profile: name });
    }
    if (link.ended !== null) throw link.ended;
    const feed = this.#feedOf(link);
    if (feed.subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new GatewayError(MIRROR_ERRORS.MIRROR_NOT_OWNER, { subscriptions: MAX_SUBSCRIPTIONS });
    }
    const { clock, log } = this.#options;
    const subscription: Subscription = new Subscription({
      sub,
      link,
      camera,
      profile,
      clock,
      onWindowWanted: () => {
        feed.opening.add(subscription);
        this.#pump(link, feed);
      },
      onFailed: (error) => {
        feed.subscriptions.delete(sub);
        feed.opening.delete(subscription);
        const { nodeId } = link.peer;
        log.error({ camera: cameraUuid, profile: name, nodeId, err: error }, 'stream not mirrored');
      },
    });
    feed.subscriptions.get(sub)?.close();
    feed.subscriptions.set(sub, subscription);
    subscription.begin();
  }

  /** Whole windows are large: the next begins when the one before is almost sent. */
  #pump(link: NodeLink, feed: LinkFeed): void {
    for (const subscription of feed.opening) {
      if (link.waitingBytes > MAX_WAITING_BYTES) return;
      feed.opening.delete(subscription);
      subscription.beginWindows(() => this.#pump(link, feed));
    }
  }

  #close(link: NodeLink, sub: number): void {
    const feed = this.#feeds.get(link);
    const subscription = feed?.subscriptions.get(sub);
    if (feed === undefined || subscription === undefined) return;
    feed.subscriptions.delete(sub);
    feed.opening.delete(subscription);
    subscription.close();
  }

  #of(link: NodeLink, sub: number): Subscription | undefined {
    return this.#feeds.get(link)?.subscriptions.get(sub);
  }

  #feedOf(link: NodeLink): LinkFeed {
    let feed = this.#feeds.get(link);
    if (feed === undefined) {
      feed = { subscriptions: new Map(), opening: new Set() };
      this.#feeds.set(link, feed);
    }
    return feed;
  }

  #forget(link: NodeLink): void {
    const feed = this.#feeds.get(link);
    this.#feeds.delete(link);
    for (const subscription of feed?.subscriptions.values() ?? []) subscription.close();
  }

  *#all(): Iterable<Subscription> {
    for (const { subscriptions } of this.#feeds.values()) yield* subscriptions.values();
  }

  #armPulse(): TimerHandle {
    return this.#options.clock.after(PULSE_MS, () => {
      this.#timer.handle = this.#armPulse();
      const heirs = this.#heirs();
      for (const [link, feed] of this.#feeds) this.#pulse(link, feed, heirs);
    });
  }

  /** A link that cannot take pulses ends: other links and the process continue. */
  #pulse(link: NodeLink, feed: LinkFeed, heirs: Heirs): void {
    try {
      pulse(link, feed, heirs, this.#options.beat?.() ?? null);
    } catch (thrown) {
      const { nodeId } = link.peer;
      this.#options.log.error({ nodeId, err: toGatewayError(thrown) }, 'pulses of streams not sent');
      link.close();
      return;
    }
    this.#pump(link, feed);
  }

  /** The heir of each mirrored camera. */
  #heirs(): Heirs {
    const mirrors = new Map<Ruuid, Map<string, number>>();
    for (const [{ peer }, { subscriptions }] of this.#feeds) {
      for (const { cameraUuid, mirrored } of subscriptions.values()) {
        const ofCamera = mirrors.get(cameraUuid) ?? new Map<string, number>();
        mirrors.set(cameraUuid, ofCamera.set(peer.runId, (ofCamera.get(peer.runId) ?? 0) + mirrored));
      }
    }
    const nodes = this.#options.nodes();
    const heirs = new Map<Ruuid, string | null>();
    for (const [cameraUuid, ofCamera] of mirrors) heirs.set(cameraUuid, heirOf(cameraUuid, ofCamera, nodes));
    return heirs;
  }
}

function pulse(link: NodeLink, { subscriptions }: LinkFeed, heirs: Heirs, beat: Beat | null): void {
  const pulses = Array.from(subscriptions.values(), (one) =>
    one.pulse(heirs.get(one.cameraUuid) ?? null),
  ).filter((one) => one !== null);
  for (const some of together<MirrorPulse>(pulses)) {
    link.send({ kind: TO_MIRROR.pulses, body: { pulses: some, beat } satisfies MirrorPulses });
  }
}
