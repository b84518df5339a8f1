import { expect, it } from 'vitest';
import { SAMPLE_STATE } from './fake-system-calls.ts';
import { systemFindings } from './system-findings.ts';
import type { GatewayState } from './system-state.ts';

const LOAD = { ownedCameras: 1, openStreams: 1, viewers: 0, busyShare: 0.1 };
const NODE = {
  clockOffsetMs: -600,
  address: '192.0.2.1:7700',
  version: '0.1.0',
  isSelf: false,
  isDraining: false,
  ...LOAD,
};
const clusterOf = (...reached: boolean[]) => ({
  name: 'site',
  size: reached.length,
  nodes: reached.map((isReached, at) => ({ ...NODE, nodeId: `node-${at}`, isReached })),
});
const found = (more: Partial<GatewayState>) => systemFindings({ ...SAMPLE_STATE, ...more });

it('names the nodes that this one cannot reach', () => {
  expect(found({ cluster: clusterOf(true, true) })).toEqual(found({}));
  const [one] = found({ cluster: clusterOf(true, false) });
  expect([one?.code, one?.severity]).toEqual(['NODES_OUT_OF_REACH', 'error']);
  expect(one?.sentence).toContain('the node `node-1`. Cameras that it pulls');
  const [two] = found({ cluster: clusterOf(false, true, false) });
  expect(two?.sentence).toContain('the nodes `node-0`, `node-2`. Cameras that they pull');
});

it('counts no offline camera that is paused for maintenance', () => {
  const offline = (pausedOffline: number) => found({ cameras: { offline: 2 }, pausedOffline });
  expect(offline(0)[0]?.sentence).toBe('2 cameras of this gateway are offline and not paused.');
  expect(offline(1)[0]?.sentence).toBe('1 camera of this gateway is offline and not paused.');
  expect(offline(2)).toEqual(found({}));
});

it('says whose clock differs most', () => {
  const { nodes, ...cluster } = clusterOf(true, true, true);
  const offsetsMs = [0, -5_400, 3_600_200];
  const differing = nodes.map((node, at) => ({ ...node, clockOffsetMs: offsetsMs[at]! }));
  const [finding] = found({ cluster: { ...cluster, nodes: differing } });
  expect([finding?.code, finding?.sentence]).toEqual([
    'CLOCKS_DIFFER',
    expect.stringContaining('of `node-2` differ by 3600 s'),
  ]);
  expect(
    found({
      cluster: { ...cluster, nodes: [{ ...NODE, nodeId: 'a', isReached: true, clockOffsetMs: null }] },
    }),
  ).toEqual(found({}));
});

it('says what a cluster lacks while Redis is away', () => {
  const redis = { isConnected: false, sinceEpochMs: 0, lastError: null };
  const away = (more: Partial<GatewayState>) =>
    found({ redis, ...more }).find(({ code }) => code === 'REDIS_AWAY')?.sentence;
  expect(away({})).toContain('of this gateway alone');
  expect(away({ cluster: clusterOf(true) })).toContain('cameras do not move');
});
