import { afterEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../test/support/patience.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { TestCluster } from './links/links-fixture.ts';
import { askNodes, RESPONSE_MS, responseTo } from './node-requests.ts';

const cluster = new TestCluster();
afterEach(() => cluster.close());

it('asks all nodes, and names those that fail or do not answer in time', async () => {
  const names = ['a', 'fails', 'silent', 'well', 'gone'];
  const [asking, ...others] = await Promise.all(
    names.map((name) => cluster.node(name, { runId: newRuuid() })),
  );
  const [fails, silent, well] = others;
  let wasRequested = false;
  well!.links.onRequest('question', ({ body }) => responseTo({ of: body }));
  fails!.links.onRequest('question', () => {
    throw new Error('cannot say');
  });
  silent!.links.onRequest('question', () => {
    wasRequested = true;
    return new Promise(() => undefined);
  });
  const clock = new FakeClock();
  const responses = askNodes<{ of: string }>({
    nodes: others.map(({ target: { nodeId, runId } }) => ({ nodeId, runId: runId as Ruuid })),
    linkTo: async ({ nodeId }) => {
      if (nodeId === 'gone') throw new Error('not there');
      return asking!.links.linkTo(others.find(({ target }) => target.nodeId === nodeId)!.target);
    },
    kind: 'question',
    body: 'something',
    clock,
  });
  await vi.waitUntil(() => wasRequested && asking!.links.counts().links === 3, PATIENCE);
  // The answer of the node that is well arrives before the one of a question that is asked afterwards.
  const link = await asking!.links.linkTo(well!.target);
  await link.request('question', 'once more');
  clock.advance(RESPONSE_MS);
  expect(await responses).toEqual({
    responses: [{ of: 'something' }],
    silent: ['fails', 'gone', 'silent'],
  });
});
