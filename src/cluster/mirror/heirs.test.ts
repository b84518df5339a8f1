import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { PeriodsState } from '../../stream/dash/dash-period.ts';
import type { Audience, RenditionName } from '../../stream/media/live-media.ts';
import { LiveWindowBench, UNUSED } from '../../stream/window/live-window-fixture.ts';
import { LINK_ERRORS } from '../links/errors.ts';
import type { LinkMessage, MessageHandler, NodeLink, RequestHandler } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import { type PlaceableNode, rankNodes } from '../nodes/placement.ts';
import { type MirrorPulses, TO_MIRROR, TO_OWNER } from './mirror-messages.ts';
import { OwnerDesk } from './owner-desk.ts';

const CAMERA = newRuuid();
const PERIODS: PeriodsState = { periods: [], nextMsn: 0, hasHole: false, usualSec: {} as never };

const IDLE = { ownedCameras: 0, openStreams: 0, viewers: 0, busyShare: 0 };
const node = (nodeId: string): PlaceableNode => ({ nodeId, runId: nodeId, isDraining: false, load: IDLE });

/** The owner of a camera, and nodes that mirror it. */
class Owner {
  readonly window = new LiveWindowBench({ windowMs: 6_000, maxWindowBytes: 3_000 }, UNUSED, true);
  nodes: PlaceableNode[] = [];
  /** Nodes to which no pulse can be sent. */
  readonly refused = new Set<string>();
  #onClosed: (link: NodeLink) => void = () => undefined;
  readonly #heirs = new Map<string, string | null>();
  readonly #requests = new Map<string, RequestHandler>();
  readonly #messages = new Map<string, MessageHandler>();
  readonly #desk: OwnerDesk;

  constructor() {
    const { window } = this;
    window.segment();
    const tellers: ((audience: Audience, state: PeriodsState) => void)[] = [];
    const profile = {
      name: 'main',
      tracks: [FAKE_VIDEO],
      keys: { distanceMs: 2_000 },
      sound: { state: 'none', encoding: null, isAlone: false },
      state: () => ({ state: 'live' }),
    };
    const camera = {
      uuid: CAMERA,
      profiles: () => [profile],
      published: () => window,
      touch: () => undefined,
      manifests: {
        mainOf: () => 'main-silent',
        follow: (_video: string, teller: (typeof tellers)[number]) => {
          tellers.push(teller);
          return () => undefined;
        },
        tell: () => {
          for (const teller of tellers) teller('silent', PERIODS);
        },
      },
    };
    const links = {
      onClosed: (listener: (link: NodeLink) => void) => {
        this.#onClosed = listener;
      },
      onRequest: (kind: string, handler: RequestHandler) => this.#requests.set(kind, handler),
      onMessage: (kind: string, handler: MessageHandler) => this.#messages.set(kind, handler),
    };
    this.#desk = new OwnerDesk({
      links: links as unknown as NodeLinks,
      clock: window.clock,
      log: silentLog,
      owned: async () => camera as unknown as CameraStream,
      nodes: () => this.nodes,
    });
  }

  async mirror(runId: string, ...renditions: RenditionName[]): Promise<void> {
    const send = ({ kind, body }: LinkMessage): boolean => {
      if (kind === TO_MIRROR.pulses && this.refused.has(runId)) {
        throw new GatewayError(LINK_ERRORS.LINK_FRAME_LIMIT);
      }
      if (kind === TO_MIRROR.pulses) this.#heirs.set(runId, (body as MirrorPulses).pulses[0]!.heir);
      return true;
    };
    const peer = { nodeId: runId, runId };
    const close = (): void => this.#onClosed(link);
    const link = { peer, ended: null, waitingBytes: 0, send, close } as unknown as NodeLink;
    const received = { link, bytes: [] };
    const opening = { sub: 1, camera: CAMERA, profile: 'main' };
    await this.#requests.get(TO_OWNER.open)!({ ...received, kind: TO_OWNER.open, body: opening });
    for (const rendition of renditions) {
      const body = { sub: 1, rendition, isWanted: true };
      this.#messages.get(TO_OWNER.want)!({ ...received, kind: TO_OWNER.want, body });
    }
  }

  /** The heirs that the mirroring nodes get within a second. */
  get heirs(): (string | null)[] {
    this.window.clock.advance(1_000);
    return [...this.#heirs.values()];
  }

  get subscriptions(): number {
    return this.#desk.subscriptions;
  }

  close(): void {
    this.#desk.close();
    this.window.close();
  }
}

describe('the heir of a camera', () => {
  it('is the node that mirrors the most of it, and takes cameras', async () => {
    const owner = new Owner();
    const all = [node('a'), node('b'), node('c')];
    owner.nodes = all;
    const [first, second] = rankNodes(
      CAMERA,
      all.slice(0, 2).map((each) => ({ ...each, weight: 4 })),
    ).map(({ nodeId }) => nodeId) as [string, string];
    await owner.mirror(second);
    expect(owner.heirs).toEqual([null]);
    await owner.mirror(second, 'main');
    expect(owner.heirs).toEqual([second]);
    // If two have as much, the one that should pull the camera first becomes the heir.
    await owner.mirror(first, 'main');
    expect(owner.heirs).toEqual([first, first]);
    // The window that sets the Periods comes with them.
    await owner.mirror(second, 'main-silent');
    expect(owner.heirs).toEqual([second, second]);
    owner.nodes = all.map((each) => ({ ...each, isDraining: each.nodeId === second }));
    expect(owner.heirs).toEqual([first, first]);
    owner.nodes = [node('c')];
    expect(owner.heirs).toEqual([null, null]);
    owner.close();
  });

  it('is told to all other nodes, every second, when one cannot be told', async () => {
    const owner = new Owner();
    owner.nodes = [node('a'), node('b')];
    await owner.mirror('a', 'main');
    await owner.mirror('b', 'main');
    owner.refused.add('a');
    expect(owner.heirs).toHaveLength(1);
    expect(owner.subscriptions).toBe(1);
    owner.nodes = [node('b')];
    expect(owner.heirs).toEqual(['b']);
    owner.close();
  });
});
