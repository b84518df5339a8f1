import { beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { RTMP_ERRORS } from '../../sources/rtmp/errors.ts';
import type { CameraRole } from '../../stream/numbering/camera-ownership.ts';
import type { ClusterAbsence } from '../cluster.ts';
import type { LinkHandlers } from '../links/link-handlers.ts';
import type { NodeLink } from '../links/node-link.ts';
import { CLAIM_MS, CLAIM_RETRY_MS, PushedHere, type PushNodes } from './pushed-here.ts';

const CAMERA = newRuuid();

/** The cluster as the node sees it. */
class Bench {
  readonly clock = new FakeClock();
  readonly events: string[] = [];
  role: CameraRole | null = null;
  absence: ClusterAbsence | null = null;
  /** The owner's answer; null: no owner. */
  owner: 'free' | 'in-use' | null = null;
  canOwn = true;
  hasPublisher = false;
  isFollowed = false;
  onRole: (role: CameraRole | null) => void = () => undefined;
  requested!: Parameters<LinkHandlers['onRequest']>[1];
  readonly pushed: PushedHere;

  constructor() {
    const bench = this;
    const nodes = {
      links: {
        onRequest: (_kind: string, handler: typeof this.requested) => {
          this.requested = handler;
        },
      },
      get absence() {
        return bench.absence;
      },
      roleOf: () => this.role,
      linkToOwner: async () => {
        if (this.owner === null) return null;
        return { peer: { nodeId: 'owner' }, request: async () => ({ body: this.owner }) };
      },
      own: async () => {
        if (!this.canOwn) throw new Error('another node was first');
        this.role = 'owner';
      },
      yieldTo: async (_camera: string, { nodeId }: { nodeId: string }) =>
        void this.events.push(`to ${nodeId}`),
      follow: (_camera: string, onRole: typeof this.onRole) => {
        this.isFollowed = true;
        this.onRole = onRole;
        return () => {
          this.isFollowed = false;
        };
      },
      tell: () => void this.events.push('told'),
      onTold: () => undefined,
    } as unknown as PushNodes;
    this.pushed = new PushedHere({
      nodes,
      clock: this.clock,
      onPushed: () => void this.events.push('retried'),
      desk: () => ({
        makeRoom: () => !this.hasPublisher,
        turnAway: (camera, { code }) => {
          this.events.push(code);
          this.pushed.left(camera);
        },
      }),
    });
  }

  async settle(ms = 0): Promise<void> {
    for (let passed = 0; passed <= ms; passed += CLAIM_RETRY_MS) {
      if (passed > 0) this.clock.advance(CLAIM_RETRY_MS);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

it('owns the camera while its device pushes here, and tells all nodes', async () => {
  bench.owner = 'free';
  bench.pushed.came(CAMERA);
  await bench.settle();
  expect([bench.role, bench.isFollowed, bench.events]).toEqual(['owner', true, ['retried', 'told']]);
  bench.pushed.left(CAMERA);
  expect(bench.isFollowed).toBe(false);
});

it('turns the device away if another one pushes to the owner', async () => {
  bench.owner = 'in-use';
  bench.pushed.came(CAMERA);
  await bench.settle();
  expect([bench.role, bench.events]).toEqual([null, [RTMP_ERRORS.RTMP_KEY_IN_USE.code]]);
});

it('tries for a while, as a node that has crashed loses its leases', async () => {
  bench.canOwn = false;
  bench.pushed.came(CAMERA);
  await bench.settle(2_000);
  expect(bench.events).toEqual([]);
  bench.canOwn = true;
  await bench.settle(CLAIM_RETRY_MS);
  expect(bench.role).toBe('owner');
});

it('turns the device away if it cannot have the camera, or gives its own away', async () => {
  bench.canOwn = false;
  bench.pushed.came(CAMERA);
  await bench.settle(CLAIM_MS);
  expect(bench.events).toEqual([RTMP_ERRORS.RTMP_AT_OTHER_NODE.code]);
  bench.absence = 'draining';
  bench.pushed.came(CAMERA);
  await bench.settle();
  expect(bench.events).toEqual([RTMP_ERRORS.RTMP_AT_OTHER_NODE.code, RTMP_ERRORS.RTMP_AT_OTHER_NODE.code]);
});

it('claims the camera again when its lease is lost', async () => {
  bench.pushed.came(CAMERA);
  await bench.settle();
  bench.role = null;
  bench.onRole(null);
  await bench.settle();
  expect(bench.role).toBe('owner');
});

it('gives a camera to a node to which its device pushes, unless one pushes here', async () => {
  const ask = () =>
    bench.requested({
      link: { peer: { nodeId: 'other', runId: newRuuid() } } as unknown as NodeLink,
      kind: 'push.yield',
      body: { camera: CAMERA },
      bytes: [],
    });
  expect(await ask()).toEqual({ body: 'free' });
  bench.hasPublisher = true;
  expect(await ask()).toEqual({ body: 'in-use' });
  expect(bench.events).toEqual(['to other']);
});
