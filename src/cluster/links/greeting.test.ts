import { describe, expect, it } from 'vitest';
import type { Greeting } from './frame-header.ts';
import { greetingMismatch } from './greeting.ts';

const A: Greeting = { version: 1, cluster: 'c', nodeId: 'a', runId: 'a1' };
const B: Greeting = { version: 1, cluster: 'c', nodeId: 'b', runId: 'b1' };
const EXPECTED = { nodeId: 'b', runId: 'b1' };

describe('two greetings', () => {
  it('fit', () => {
    expect(greetingMismatch(A, B, EXPECTED)).toBe(null);
  });

  it.each([
    ['other version', { ...B, version: 2 }, 'LINK_OTHER_VERSION', { connecting: 1, accepting: 2 }],
    ['other cluster', { ...B, cluster: 'd' }, 'LINK_OTHER_CLUSTER', { connecting: 'c', accepting: 'd' }],
    ['itself', A, 'LINK_TO_ITSELF', { nodeId: 'a' }],
    ['same nodeId', { ...A, runId: 'a2' }, 'LINK_SAME_NODE_ID', { nodeId: 'a' }],
    ['other node', { ...B, nodeId: 'x' }, 'LINK_OTHER_NODE', { expected: 'b', accepting: 'x' }],
    ['other run', { ...B, runId: 'b2' }, 'LINK_OTHER_RUN', { nodeId: 'b', expected: 'b1', accepting: 'b2' }],
  ])('do not: %s', (_, accepting, code, context) => {
    expect(greetingMismatch(A, accepting, EXPECTED)).toMatchObject({ code, context });
  });
});
