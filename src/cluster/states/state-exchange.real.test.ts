import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CameraReport, NOT_CHECKED } from '../../stream/camera-connection.ts';
import { TestCluster, type TestNode } from '../links/links-fixture.ts';
import type { ClusterNodeInfo } from '../nodes/node-info.ts';
import type { NodeChange, NodeRegistry } from '../nodes/node-registry.ts';
import { StateExchange, UNLINKED_MS } from './state-exchange.ts';
import type { CameraWord, ProbedCamera } from './state-messages.ts';

const CAMERA = newRuuid();

/** A registry whose changes the test makes. */
class FakeRegistry {
  readonly #listeners: ((change: NodeChange) => void)[] = [];
  list: ClusterNodeInfo[] = [];

  nodes: NodeRegistry['nodes'] = () => this.list;
  find: NodeRegistry['find'] = ({ runId }) => this.list.find((node) => node.runId === runId) ?? null;
  onChange: NodeRegistry['onChange'] = (listener) => {
    this.#listeners.push(listener);
    return () => undefined;
  };

  put(...nodes: TestNode[]): void {
    this.list = nodes.map(({ target: { nodeId, runId, address } }) => ({
      nodeId,
      runId: runId as Ruuid,
      address: `127.0.0.1:${address.port}`,
      version: '1',
      isDraining: false,
      load: { ownedCameras: 1, openStreams: 0, viewers: 0, busyShare: 0 },
    }));
    for (const listener of this.#listeners) listener({ kind: 'changed', node: this.list[0]! });
  }
}

describe('nodes that tell each other of cameras', () => {
  const cluster = new TestCluster();
  const exchanges: StateExchange[] = [];
  afterEach(async () => {
    for (const exchange of exchanges.splice(0)) exchange.close();
    await cluster.close();
  });

  async function open(name: string, probes: (probed: ProbedCamera) => CameraReport | null = () => null) {
    const node = await cluster.node(name, { runId: newRuuid() });
    const clock = new FakeClock();
    const heard: [Ruuid, number | null][] = [];
    const exchange = new StateExchange({
      links: node.links,
      runId: node.target.runId,
      clock,
      onHeard: (camera, word) => heard.push([camera, word?.fence ?? null]),
      onProbed: async (probed) => probes(probed),
    });
    exchanges.push(exchange);
    const registry = new FakeRegistry();
    const begin = (others: TestNode[]) => {
      registry.put(node, ...others);
      exchange.begin(registry, ({ runId }) => {
        const target = [node, ...others].find((one) => one.target.runId === runId)!.target;
        return node.links.linkTo(target);
      });
    };
    return { node, clock, heard, exchange, registry, begin };
  }

  const ofCamera = (heard: [Ruuid, number | null][], cameraUuid: Ruuid) =>
    heard.filter(([uuid]) => uuid === cameraUuid).map(([, fence]) => fence);

  it('says everything when a link opens, then what changes, the newest of each camera', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const cameras = Array.from({ length: 450 }, () => newRuuid());
    for (const camera of cameras) a.exchange.say(camera, word(1));
    a.begin([b.node]);
    await vi.waitFor(() => expect(b.heard).toHaveLength(450), PATIENCE);
    for (let fence = 2; fence < 100; fence++) a.exchange.say(CAMERA, word(fence));
    await vi.waitUntil(() => a.clock.pendingTimers > 0, PATIENCE);
    a.clock.advance(50);
    await vi.waitFor(() => expect(ofCamera(b.heard, CAMERA)).toEqual([99]), PATIENCE);
    expect(b.exchange.speakerOf(CAMERA)).toMatchObject({ run: { nodeId: 'a' }, word: { fence: 99 } });

    a.exchange.remove(CAMERA);
    a.clock.advance(50);
    await vi.waitFor(() => expect(ofCamera(b.heard, CAMERA)).toEqual([99, null]), PATIENCE);
  });

  it('says everything again over the next link', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const [gone, added] = [newRuuid(), newRuuid()];
    const links: { close(): void }[] = [];
    b.node.links.onLink((link) => links.push(link));
    a.exchange.say(CAMERA, word(1));
    a.exchange.say(gone, word(1));
    b.begin([]);
    b.registry.put(b.node, a.node);
    a.begin([b.node]);
    await vi.waitFor(() => expect(b.heard).toHaveLength(2), PATIENCE);
    links[0]!.close();
    await vi.waitUntil(() => a.clock.pendingTimers > 0, PATIENCE);
    a.exchange.remove(gone);
    a.exchange.say(added, word(1));
    a.clock.advance(250);
    await vi.waitFor(() => expect(ofCamera(b.heard, gone)).toEqual([1, null]), PATIENCE);
    expect(ofCamera(b.heard, CAMERA)).toEqual([1, 1]);
    expect(ofCamera(b.heard, added)).toEqual([1]);
  });

  it('forgets what a node said once it has left and no link is open', async () => {
    const [a, b] = [await open('a'), await open('b')];
    a.exchange.say(CAMERA, word(1));
    b.begin([a.node]);
    a.begin([b.node]);
    await vi.waitFor(() => expect(ofCamera(b.heard, CAMERA)).toEqual([1]), PATIENCE);
    // Redis no longer has it, but it is there.
    b.registry.put(b.node);
    expect(b.exchange.speakerOf(CAMERA)).not.toBeNull();
    await a.node.links.close();
    await vi.waitFor(() => expect(ofCamera(b.heard, CAMERA)).toEqual([1, null]), PATIENCE);
  });

  it('forgets what a node said that no longer talks to this one, whatever Redis says', async () => {
    const [a, b] = [await open('a'), await open('b')];
    a.exchange.say(CAMERA, word(1));
    b.begin([]);
    b.registry.put(b.node, a.node);
    a.begin([b.node]);
    await vi.waitFor(() => expect(ofCamera(b.heard, CAMERA)).toEqual([1]), PATIENCE);
    a.exchange.close();
    await a.node.links.close();
    // The attempt to reach the other node, and the time until its words are forgotten.
    await vi.waitUntil(() => b.clock.pendingTimers === 2, PATIENCE);
    expect(b.exchange.speakerOf(CAMERA)).not.toBeNull();
    b.clock.advance(UNLINKED_MS);
    expect(b.exchange.speakerOf(CAMERA)).toBeNull();
  });

  it('tells the node that speaks for a camera what a probe has shown', async () => {
    const report: CameraReport = { streamState: 'idle', main: NOT_CHECKED, sub: null };
    const probed: ProbedCamera = { orgUuid: newRuuid(), cameraUuid: CAMERA, verdict: { fault: null } };
    const taken: ProbedCamera[] = [];
    const a = await open('a', (one) => {
      taken.push(one);
      return report;
    });
    const b = await open('b');
    b.begin([a.node]);
    const run = { nodeId: 'a', runId: a.node.target.runId as Ruuid };
    expect(await b.exchange.probedAt(run, probed)).toEqual(report);
    expect(taken).toEqual([probed]);
  });
});

function word(fence: number): CameraWord {
  return {
    fence,
    isOwner: true,
    facts: {
      report: { streamState: 'live', main: NOT_CHECKED, sub: null },
      sound: { state: 'unknown', encoding: null, isAlone: false },
      clock: null,
      recording: null,
    },
  };
}
