import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { LINK_ERRORS } from '../links/errors.ts';
import type { LinkTarget, NodeLink } from '../links/node-link.ts';
import type { Acquisition } from '../nodes/camera-leases.ts';
import { type CameraOwner, type CameraPlaces, ClusterCamera } from './cluster-camera.ts';
import { FakeRoleMember } from './fake-role-member.ts';

const STEP_MS = 50;
const OTHER: CameraOwner = {
  nodeId: 'other',
  runId: newRuuid(),
  isSelf: false,
  address: { host: '127.0.0.1', port: 7700 },
};
const SELF: CameraOwner = { ...OTHER, nodeId: 'self', runId: newRuuid(), isSelf: true };
const THIRD: CameraOwner = { ...OTHER, nodeId: 'third', runId: newRuuid() };

class FakeLink implements Pick<NodeLink, 'peer' | 'ended'> {
  readonly peer = OTHER;
  ended: GatewayError | null = null;
}

let clock: FakeClock;
let owner: CameraOwner | null;
let acquisition: Acquisition;
let ranked: CameraOwner[];
let link: Promise<FakeLink>;
let camera: ClusterCamera;
let member: FakeRoleMember;
let suspected: string[];
let places: CameraPlaces;
let linked: (target: LinkTarget) => void;
beforeEach(reset);

function reset(): void {
  clock = new FakeClock();
  linked = () => undefined;
  suspected = [];
  owner = OTHER;
  ranked = [OTHER, SELF, THIRD];
  acquisition = { kind: 'acquired', fence: 2, isContinuation: false };
  places = {
    ownerOf: async () => owner,
    acquire: async () => acquisition,
    release: async () => undefined,
    isHeld: () => true,
    ranked: () => ranked,
    suspect: (runId) => suspected.push(runId),
    linkTo: async (target) => {
      linked(target);
      return (await link) as unknown as NodeLink;
    },
  };
  camera = new ClusterCamera({
    cameraUuid: newRuuid(),
    places,
    clock,
    log: silentLog,
    onGivenUp: () => undefined,
    onRole: () => undefined,
  });
  member = new FakeRoleMember();
}

/** Advances in steps, so that promises settle in time. */
async function advance(ms: number): Promise<void> {
  for (let atMs = 0; atMs < ms; atMs += STEP_MS) {
    clock.advance(STEP_MS);
    await new Promise(setImmediate);
  }
}

/** Mirrors the other node over a link that ends then, and cannot be opened again. */
async function loseLink(error: GatewayError): Promise<void> {
  const first = new FakeLink();
  link = Promise.resolve(first);
  camera.enter(member);
  await advance(STEP_MS);
  expect(member.roles).toEqual(['mirror']);
  first.ended = error;
  link = new Promise(() => undefined);
  camera.lost(first as unknown as NodeLink);
}

const SILENT = new GatewayError(LINK_ERRORS.LINK_SILENT);
const BROKEN = new GatewayError(LINK_ERRORS.LINK_BROKEN);

describe('an owner without a link to it', () => {
  it.each([
    ['was silent', SILENT, 400, 700],
    ['broke', BROKEN, 2_400, 3_200],
  ])(
    'that has its lease is out of reach, some time after a link that %s',
    async (_how, error, before, after) => {
      await loseLink(error);
      await advance(before);
      expect(member.errors).toEqual([]);
      await advance(after - before);
      expect(member.errors).toEqual(['STREAM_OUT_OF_REACH']);
      expect(camera.role).toBeNull();
    },
  );

  it('is mirrored again once there is a link', async () => {
    await loseLink(SILENT);
    await advance(5_000);
    link = Promise.resolve(new FakeLink());
    await advance(1_000);
    expect(camera.role).toBe('mirror');
    const { length } = member.errors;
    await advance(5_000);
    expect(member.errors).toHaveLength(length);
  });

  it('is succeeded as soon as its lease has ended, however long a connection attempt takes', async () => {
    await loseLink(BROKEN);
    await advance(1_000);
    owner = null;
    await advance(1_000);
    expect(camera.role).toBe('owner');
    expect(member.errors).toEqual([]);
  });

  it('says so to a member that enters later', async () => {
    await loseLink(SILENT);
    await advance(2_000);
    const late = new FakeRoleMember();
    camera.enter(late);
    expect(late.errors).toEqual([]);
    await advance(1_000);
    expect(late.errors[0]).toBe('STREAM_OUT_OF_REACH');
  });

  it('has most likely ended if the link broke: the node that ranks next reads the camera before the lease has ended', async () => {
    await loseLink(BROKEN);
    expect(member.preparedEvents).not.toBeNull();
    expect(suspected).toEqual([OTHER.runId]);
    await advance(1_000);
    expect([camera.role, member.preparedEvents === null]).toEqual([null, false]);
    owner = null;
    // The one that has ended is not asked.
    ranked = [SELF, THIRD];
    await advance(1_000);
    // Played, not ended.
    expect([member.roles.at(-1), member.endedPrepared]).toEqual(['owner', 0]);
  });

  it('is succeeded by the node that it named, and others ask that one, however nodes rank', async () => {
    const named = async (runId: string | null, nodes: CameraOwner[]) => {
      const first = new FakeLink();
      link = Promise.resolve(first);
      ranked = nodes;
      camera.enter(member);
      await advance(STEP_MS);
      camera.heirTold(first as unknown as NodeLink, runId);
      camera.heirTold(new FakeLink() as unknown as NodeLink, OTHER.runId);
      first.ended = BROKEN;
      // Its lease has ended, too.
      owner = null;
      link = Promise.resolve(new FakeLink());
      camera.lost(first as unknown as NodeLink);
      await advance(STEP_MS);
    };
    await named(SELF.runId, [OTHER, THIRD, SELF]);
    expect(member.roles.at(-1)).toBe('owner');
    reset();
    const requested: CameraOwner[] = [];
    linked = (target) => void requested.push(target as CameraOwner);
    await named(THIRD.runId, [OTHER, SELF, THIRD]);
    expect([member.preparedEvents, member.roles.at(-1)]).toEqual([null, 'mirror']);
    expect(requested.at(-1)).toBe(THIRD);
    reset();
    await named(newRuuid(), [OTHER, SELF, THIRD]);
    expect(member.roles.at(-1)).toBe('owner');
  });

  it.each([
    ['the network was silent', SILENT, [OTHER, SELF, THIRD]],
    ['another node ranks next', BROKEN, [OTHER, THIRD, SELF]],
  ])('is the only one that reads the camera when %s', async (_when, error, nodes) => {
    ranked = nodes;
    await loseLink(error);
    expect([member.preparedEvents, suspected]).toEqual([null, [OTHER.runId]]);
  });

  it.each([
    ['its owner lives', () => undefined, 3_200],
    ['a link to its owner is open again', () => (link = Promise.resolve(new FakeLink())), 1_000],
    ['the camera allows no second connection', () => member.preparedEvents!.onFailed(BROKEN), 0],
    ['no one can say who owns it', () => (owner = SELF), 5_000],
  ])('is not read any longer by this node when %s', async (_when, happen, ms) => {
    acquisition = { kind: 'unavailable' };
    await loseLink(BROKEN);
    expect(member.preparedEvents).not.toBeNull();
    happen();
    await advance(ms);
    expect(member.preparedEvents).toBeNull();
  });
});

describe('an owner that relies on the store, and is gone', () => {
  const LEASE_MS = 9_000;
  let beatMonoMs: number;

  /** As the store shows it: its last beat was a moment before it ended. Resolves with how long its lease lasts from now on. */
  async function loseRelyingOwner(error: GatewayError): Promise<number> {
    const sinceBeatMs = error === SILENT ? 2_500 : 500;
    Object.defineProperty(places, 'ownerOf', { value: async () => relying() });
    beatMonoMs = clock.monoMs() + STEP_MS - sinceBeatMs;
    await loseLink(error);
    return LEASE_MS - sinceBeatMs;
  }

  function relying(): CameraOwner | null {
    const forMs = clock.monoMs() - beatMonoMs;
    return forMs >= LEASE_MS ? null : { ...OTHER, silence: { forMs, endsInMs: LEASE_MS - forMs } };
  }

  it.each([
    ['fell silent', SILENT],
    ['broke', BROKEN],
  ])(
    'is awaited until its lease ends, and followed then, with a key frame, if the link %s',
    async (_how, error) => {
      await advance((await loseRelyingOwner(error)) - 200);
      // The stream is open all the time, and says that this node is cut off.
      expect([member.errors, camera.isCutOff, camera.role]).toEqual([[], true, null]);
      expect(member.preparedEvents).not.toBeNull();
      ranked = [SELF, THIRD];
      await advance(400);
      expect([member.roles.at(-1), member.errors]).toEqual(['owner', []]);
    },
  );

  it('is read by no second node for most of that time', async () => {
    await advance((await loseRelyingOwner(SILENT)) - 3_100);
    expect(member.preparedEvents).toBeNull();
    await advance(1_000);
    expect(member.preparedEvents).not.toBeNull();
  });

  it('is out of reach if it keeps beating', async () => {
    await loseRelyingOwner(SILENT);
    for (let beats = 0; beats < 3; beats++) {
      beatMonoMs = clock.monoMs();
      await advance(1_000);
    }
    expect(member.errors[0]).toBe('STREAM_OUT_OF_REACH');
    expect(member.preparedEvents).toBeNull();
  });
});

describe('a node without a role', () => {
  const cutOffs = (): { count: number } => {
    const seen = { count: 0 };
    camera.onCutOff(() => void seen.count++);
    return seen;
  };

  it('is cut off as soon as its lease has ended, until it has a role again', async () => {
    owner = null;
    ranked = [SELF];
    const seen = cutOffs();
    camera.enter(member);
    await advance(STEP_MS);
    expect([camera.role, camera.isCutOff]).toEqual(['owner', false]);
    acquisition = { kind: 'unavailable' };
    camera.leaseLost();
    expect([camera.isCutOff, seen.count]).toEqual([true, 1]);
    await advance(5_000);
    expect([camera.isCutOff, seen.count]).toEqual([true, 1]);
    owner = OTHER;
    link = Promise.resolve(new FakeLink());
    await advance(1_000);
    expect([camera.role, camera.isCutOff]).toEqual(['mirror', false]);
  });

  it.each([
    ['was silent', SILENT, 400, 500],
    ['broke', BROKEN, 2_400, 2_600],
  ])(
    'is cut off some time after a link that %s, if no one can say who owns the camera',
    async (_how, error, before, after) => {
      acquisition = { kind: 'unavailable' };
      const seen = cutOffs();
      await loseLink(error);
      owner = null;
      ranked = [SELF];
      await advance(before);
      expect([camera.isCutOff, seen.count]).toEqual([false, 0]);
      await advance(after - before);
      expect([camera.isCutOff, seen.count]).toEqual([true, 1]);
    },
  );

  it('is cut off if it has never found one, and not while it needs none', async () => {
    owner = null;
    acquisition = { kind: 'unavailable' };
    ranked = [SELF];
    camera.enter(member);
    await advance(2_400);
    expect(camera.isCutOff).toBe(false);
    await advance(200);
    expect(camera.isCutOff).toBe(true);
    camera.leave(member);
    await advance(1_000);
    expect(camera.isCutOff).toBe(false);
  });

  it('is not cut off when it gives a camera away, and finds the next owner in time', async () => {
    owner = null;
    ranked = [SELF];
    camera.enter(member);
    await advance(STEP_MS);
    const seen = cutOffs();
    await camera.yield(async () => {
      owner = OTHER;
    });
    link = Promise.resolve(new FakeLink());
    await advance(3_000);
    expect([camera.role, seen.count]).toEqual(['mirror', 0]);
  });
});
