import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { Acquisition } from '../nodes/camera-leases.ts';
import { type CameraOwner, ClusterCamera } from './cluster-camera.ts';
import { MIRROR_ERRORS } from './errors.ts';
import { FakeRoleMember } from './fake-role-member.ts';

const SELF = node('self', true);
const OTHER = node('other', false);
const THIRD = node('third', false);

function node(nodeId: string, isSelf: boolean): CameraOwner {
  return { nodeId, runId: newRuuid(), address: { host: '127.0.0.1', port: 7_700 }, isSelf };
}

class Bench {
  readonly clock = new FakeClock();
  owner: CameraOwner | null = null;
  nodes: CameraOwner[] = [SELF, OTHER];
  readonly unreachable = new Set<CameraOwner>();
  answer: Acquisition = { kind: 'acquired', fence: 4, isContinuation: false };
  released = 0;
  isHeld = true;
  acquiring: Promise<void> = Promise.resolve();
  linking: Promise<void> = Promise.resolve();
  givenUp = 0;
  owned = 0;
  readonly links = new Map<Ruuid, NodeLink>();
  readonly member = new FakeRoleMember();
  readonly camera = new ClusterCamera({
    cameraUuid: newRuuid(),
    places: {
      ownerOf: async () => this.owner,
      acquire: async () => {
        await this.acquiring;
        return this.answer;
      },
      release: async () => void this.released++,
      isHeld: () => this.isHeld,
      ranked: () => this.nodes,
      suspect: () => undefined,
      linkTo: async (target) => {
        if ([...this.unreachable].some(({ runId }) => runId === target.runId)) throw new Error('refused');
        await this.linking;
        const link = { peer: target, ended: null } as unknown as NodeLink;
        this.links.set(target.runId as Ruuid, link);
        return link;
      },
    },
    clock: this.clock,
    log: silentLog,
    onGivenUp: () => void this.givenUp++,
    onRole: () => undefined,
    onOwned: () => void this.owned++,
  });

  async pass(ms: number): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    if (ms > 0) this.clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

/** The only one who needed it has gone before the lease is acquired. */
async function leftWhileAcquiring() {
  const bench = new Bench();
  const acquired = Promise.withResolvers<void>();
  bench.acquiring = acquired.promise;
  bench.camera.enter(bench.member);
  await bench.pass(0);
  bench.camera.leave(bench.member);
  return { bench, acquired };
}

describe('a camera in a cluster', () => {
  it('does not ask a node without rest that refuses to be the owner (simulated: 200 times a second)', async () => {
    const bench = new Bench();
    bench.owner = OTHER;
    let requested = 0;
    bench.member.onPlay = (role, link) => {
      if (role !== 'mirror') return;
      requested++;
      bench.clock.after(1, () => bench.camera.lost(link!));
    };
    bench.camera.enter(bench.member);
    for (let passedMs = 0; passedMs < 1_000; passedMs += 10) await bench.pass(10);
    expect(requested).toBeGreaterThan(2);
    expect(requested).toBeLessThan(10);
  });

  it('is pulled by the node that ranks first', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    expect(bench.member.played).toEqual(['owner']);
    expect(bench.camera.fence).toBe(4);
  });

  it('says that others can begin, once what is published has numbers (simulated: a mirror without a window for 2 s)', async () => {
    const bench = new Bench();
    const numbers = Promise.withResolvers<void>();
    bench.camera.onRole(() => numbers.promise);
    await bench.pass(0);
    expect([bench.camera.role, bench.owned]).toEqual(['owner', 0]);
    numbers.resolve();
    await bench.pass(0);
    expect(bench.owned).toBe(1);
  });

  it('is mirrored from the node that holds the lease, or ranks first', async () => {
    const held = new Bench();
    held.owner = OTHER;
    held.camera.enter(held.member);
    await held.pass(0);
    expect(held.member.played).toEqual(['mirror of other']);
    const free = new Bench();
    free.nodes = [THIRD, SELF, OTHER];
    free.camera.enter(free.member);
    await free.pass(0);
    expect(free.member.played).toEqual(['mirror of third']);
  });

  it('goes to the next node when the first one does not take it', async () => {
    const bench = new Bench();
    bench.nodes = [OTHER, SELF];
    bench.unreachable.add(OTHER);
    bench.camera.enter(bench.member);
    await bench.pass(200);
    expect(bench.member.played).toEqual(['owner']);
  });

  it('is given to another node, and not taken back meanwhile', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    const { promise: moved, resolve: move } = Promise.withResolvers<void>();
    const given = bench.camera.yield(() => moved);
    bench.camera.enter(new FakeRoleMember());
    await bench.pass(1_000);
    expect(bench.camera.role).toBeNull();
    await expect(bench.camera.own()).rejects.toMatchObject({ code: 'MIRROR_NOT_OWNER' });
    bench.owner = OTHER;
    move();
    await given;
    await bench.pass(0);
    expect([bench.member.played, bench.givenUp]).toEqual([['owner', 'null', 'mirror of other'], 1]);
  });

  it('finds its owner again when that is gone', async () => {
    const bench = new Bench();
    bench.owner = OTHER;
    bench.camera.enter(bench.member);
    await bench.pass(0);
    bench.unreachable.add(OTHER);
    bench.camera.lost(bench.links.get(OTHER.runId as Ruuid)!);
    await bench.pass(0);
    expect(bench.camera.role).toBeNull();
    // Its lease has ended.
    bench.owner = null;
    bench.nodes = [OTHER, SELF];
    await bench.pass(200);
    await bench.pass(200);
    expect(bench.member.played).toEqual(['mirror of other', 'null', 'owner']);
  });

  it('waits while no one can say who owns it', async () => {
    const bench = new Bench();
    bench.answer = { kind: 'unavailable' };
    bench.camera.enter(bench.member);
    await bench.pass(1_000);
    expect(bench.member.played).toEqual([]);
    bench.answer = { kind: 'acquired', fence: 9, isContinuation: false };
    await bench.pass(200);
    expect(bench.member.played).toEqual(['owner']);
  });

  it('stops at once when its lease is lost, and looks for the new owner', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    bench.owner = OTHER;
    bench.camera.leaseLost();
    expect(bench.member.played).toEqual(['owner', 'null']);
    expect(bench.givenUp).toBe(1);
    await bench.pass(0);
    expect(bench.member.played.at(-1)).toBe('mirror of other');
  });

  it('publishes nothing once its lease has ended by its own clock, before anyone has told it', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    expect(bench.camera.mayPublish()).toBe(true);
    bench.isHeld = false;
    bench.owner = OTHER;
    expect(bench.camera.mayPublish()).toBe(false);
    await bench.pass(0);
    expect(bench.member.played).toEqual(['owner', 'null', 'mirror of other']);
    expect(bench.camera.mayPublish()).toBe(true);
  });

  it('keeps its lease for a moment when no one needs it, then gives it back', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    bench.camera.leave(bench.member);
    await bench.pass(4_999);
    expect(bench.released).toBe(0);
    await bench.pass(1);
    expect(bench.released).toBe(1);
    expect(bench.camera.role).toBeNull();
  });

  it('is given back when it was acquired after the last one who needed it had gone', async () => {
    const { bench, acquired } = await leftWhileAcquiring();
    acquired.resolve();
    await bench.pass(0);
    await bench.pass(5_000);
    expect([bench.camera.role, bench.released, bench.givenUp]).toEqual([null, 1, 1]);
  });

  it('is not mirrored when the link was open after the last one who needed it had gone', async () => {
    const bench = new Bench();
    const linked = Promise.withResolvers<void>();
    bench.owner = OTHER;
    bench.linking = linked.promise;
    bench.camera.enter(bench.member);
    await bench.pass(0);
    bench.camera.leave(bench.member);
    linked.resolve();
    await bench.pass(0);
    expect([bench.camera.role, bench.released]).toEqual([null, 0]);
  });

  it('stays when it is found for one who came meanwhile', async () => {
    const { bench, acquired } = await leftWhileAcquiring();
    const next = new FakeRoleMember();
    bench.camera.enter(next);
    acquired.resolve();
    await bench.pass(10_000);
    expect([next.played, bench.released]).toEqual([['owner'], 0]);
  });

  it('is owned for another node if the lease is free, and refused otherwise', async () => {
    const bench = new Bench();
    await bench.camera.own();
    expect(bench.camera.role).toBe('owner');
    const taken = new Bench();
    taken.answer = { kind: 'taken' };
    await expect(taken.camera.own()).rejects.toThrow(GatewayError);
    await expect(taken.camera.own()).rejects.toMatchObject({ code: MIRROR_ERRORS.MIRROR_NOT_OWNER.code });
  });

  it('takes no camera while it drains', async () => {
    const bench = new Bench();
    bench.camera.enter(bench.member);
    await bench.pass(0);
    await bench.camera.drain();
    expect(bench.member.played).toEqual(['owner', 'null']);
    bench.owner = null;
    bench.nodes = [SELF];
    bench.camera.drained();
    await bench.pass(1_000);
    expect(bench.camera.role).toBeNull();
    await expect(bench.camera.own()).rejects.toMatchObject({ code: MIRROR_ERRORS.MIRROR_NOT_OWNER.code });
  });
});
