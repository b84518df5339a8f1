import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { nodeWeight, rankNodes, type WeightedNode } from './placement.ts';

const CAMERAS = Array.from({ length: 8_000 }, (_, i) => deriveRuuid('placement', `camera ${i}`));

const nodesOf = (...weights: readonly number[]): WeightedNode[] =>
  weights.map((weight, i) => ({ nodeId: `node-${i}`, weight }));

/** The share of all cameras that each node is best for. */
function sharesOf(nodes: readonly WeightedNode[]): Record<string, number> {
  const shares: Record<string, number> = Object.fromEntries(nodes.map(({ nodeId }) => [nodeId, 0]));
  for (const camera of CAMERAS) {
    const [{ nodeId } = { nodeId: '' }] = rankNodes(camera, nodes);
    shares[nodeId] = (shares[nodeId] ?? 0) + 1 / CAMERAS.length;
  }
  return shares;
}

const someNodes = fc.uniqueArray(
  fc.record({ nodeId: fc.stringMatching(/^[\w-]{1,20}$/), weight: fc.integer({ min: 0, max: 4 }) }),
  { minLength: 1, maxLength: 12, selector: ({ nodeId }) => nodeId },
);
const someCamera = fc.constantFrom(...CAMERAS.slice(0, 500));

describe('rankNodes', () => {
  it.each([
    [1, 1],
    [1, 1, 1, 1, 1],
    [4, 2, 1, 1],
    [3, 0, 1],
  ])('spreads cameras by weight: %j', (...weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const shares = Object.values(sharesOf(nodesOf(...weights)));
    expect(shares).toHaveLength(weights.length);
    const off = weights.map((weight, i) => Math.abs(shares[i]! - weight / total));
    expect(Math.max(...off)).toBeLessThan(0.02);
  });

  it('ranks every node once, in the same order whatever the order of the input, which stays as it is', () => {
    fc.assert(
      fc.property(someCamera, someNodes, (camera, nodes) => {
        const before = structuredClone(nodes);
        const ranked = rankNodes(camera, nodes);
        expect(new Set(ranked)).toEqual(new Set(nodes));
        expect(ranked).toHaveLength(nodes.length);
        expect(rankNodes(camera, nodes.toReversed())).toEqual(ranked);
        expect(nodes).toEqual(before);
      }),
      randomRuns(200),
    );
  });

  it('keeps the order of the others when a node leaves or joins', () => {
    fc.assert(
      fc.property(someCamera, someNodes, fc.nat(), (camera, nodes, pick) => {
        const gone = nodes[pick % nodes.length]!;
        const ranked = rankNodes(camera, nodes);
        const without = rankNodes(
          camera,
          nodes.filter((node) => node !== gone),
        );
        expect(without).toEqual(ranked.filter((node) => node !== gone));
      }),
      randomRuns(200),
    );
  });

  it('moves cameras only to a node whose weight grew', () => {
    fc.assert(
      fc.property(someCamera, someNodes, fc.nat(), (camera, nodes, pick) => {
        const grown = nodes[pick % nodes.length]!;
        const after = nodes.map((node) => (node === grown ? { ...node, weight: node.weight + 1 } : node));
        const [before, best] = [rankNodes(camera, nodes)[0]!, rankNodes(camera, after)[0]!];
        expect([before.nodeId, grown.nodeId]).toContain(best.nodeId);
      }),
      randomRuns(200),
    );
  });

  it('has draining nodes last', () => {
    for (const camera of CAMERAS.slice(0, 200)) {
      expect(rankNodes(camera, nodesOf(0, 1, 4)).at(-1)?.nodeId).toBe('node-0');
    }
  });
});

describe('nodeWeight', () => {
  const load = (busyShare: number) => ({ ownedCameras: 1, openStreams: 3, viewers: 5, busyShare });

  it.each([
    [0, 4],
    [0.05, 4],
    [0.2, 4],
    [0.3, 3],
    [0.45, 3],
    [0.6, 2],
    [0.9, 1],
    [1, 1],
    [7, 1],
  ])('of a node that is busy for %d of its time is %d', (busyShare, weight) => {
    expect(nodeWeight({ isDraining: false, load: load(busyShare) })).toBe(weight);
    expect(nodeWeight({ isDraining: true, load: load(busyShare) })).toBe(0);
  });
});
