import { expect, it } from 'vitest';
import type { LinkViewer, LinkViewers } from './share-viewers.ts';
import { joinedViewers } from './viewers-of-nodes.ts';

it('lists each viewer once, in order of arrival, with what several nodes sent', () => {
  const own = linkOf([viewer('one', 10, 100), viewer('two', 40, 5)]);
  const other = { ...linkOf([viewer('three', 20, 7), viewer('one', 30, 1)]), total: 5 };
  const { viewers, total, silentNodes } = joinedViewers(own, [other], ['node-3']);
  expect(viewers.map(({ viewerId, sinceEpochMs, sentBytes }) => [viewerId, sinceEpochMs, sentBytes])).toEqual(
    [
      ['one', 10, 101],
      ['three', 20, 7],
      ['two', 40, 5],
    ],
  );
  expect([total, silentNodes]).toEqual([6, ['node-3']]);
});

function linkOf(viewers: LinkViewer[]): LinkViewers {
  return { kind: 'stream', viewers, total: viewers.length, blocked: [] };
}

function viewer(viewerId: string, sinceEpochMs: number, sentBytes: number): LinkViewer {
  return {
    viewerId,
    sinceEpochMs,
    lastRequestEpochMs: sinceEpochMs,
    address: '192.0.2.1',
    userAgent: 'player',
    protocol: 'hls',
    profile: 'main',
    isInPast: false,
    sentBytes,
    isCounted: true,
    cameraUuids: [],
  };
}
