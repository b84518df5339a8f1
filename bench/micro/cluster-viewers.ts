/**
 * `node bench/micro/cluster-viewers.ts`: measures the cost of a node's message to another one about a viewer who came or
 * left, over a link: processor time of both ends together, and bytes. Ten thousand viewers come in one burst, and leave in
 * one burst.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { linkKeyOf } from '../../src/cluster/links/link-tls.ts';
import { NodeLinks } from '../../src/cluster/links/node-links.ts';
import { packed } from '../../src/cluster/mirror/mirror-messages.ts';
import type { ClusterNodeInfo } from '../../src/cluster/nodes/node-info.ts';
import { ClusterViewers } from '../../src/cluster/viewers/cluster-viewers.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { median, printTable } from '../report.ts';

const VIEWERS = 10_000;
const WORDS = 200;
const ROUNDS = 7;
const HOST = '127.0.0.1';

const key = linkKeyOf(Buffer.from('benchmark'));
const share = newRuuid();
const media = { orgUuid: newRuuid(), cameraUuid: newRuuid(), linkUuid: share };
const viewerIds = Array.from({ length: VIEWERS }, () => newRuuid() as string);

async function openNode(nodeId: string) {
  const runId = newRuuid();
  const links = new NodeLinks({
    identity: { cluster: 'bench', nodeId, runId },
    key,
    clock: systemClock,
    log: silentLog,
  });
  const viewers = new ClusterViewers({ links, runId, clock: systemClock });
  const address = { host: HOST, port: await links.listen({ host: HOST, port: 0 }) };
  return { nodeId, runId, links, viewers, address };
}

const nodes = await Promise.all(['a', 'b'].map(openNode));
const infos = nodes.map(
  ({ nodeId, runId }): ClusterNodeInfo => ({
    nodeId,
    runId,
    address: '',
    version: '1',
    isDraining: false,
    load: { ownedCameras: 0, openStreams: 0, viewers: 0, busyShare: 0 },
  }),
);
const find = ({ runId }: { runId: Ruuid }) => infos.find((info) => info.runId === runId) ?? null;
for (const { links, viewers } of nodes) {
  viewers.begin({ nodes: () => infos, find, onChange: () => () => undefined }, ({ runId }) =>
    links.linkTo(nodes.find((node) => node.runId === runId)!),
  );
}
const [a, b] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
await Promise.all(nodes.map(({ viewers }) => viewers.untilHeard(5_000)));

/** Processor time of both ends, for each viewer. */
async function cpuMicros(act: (viewerId: string) => void, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (const viewerId of viewerIds) act(viewerId);
  while (b.viewers.count(share) !== count) await pause(5);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / VIEWERS;
}

const came: number[] = [];
const left: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  came.push(await cpuMicros((viewerId) => a.viewers.joined(share, viewerId, media), VIEWERS));
  left.push(await cpuMicros((viewerId) => a.viewers.left(share, viewerId), 0));
}
const words = viewerIds.slice(0, WORDS).map((viewerId) => [share, viewerId, media]);
printTable({
  name: 'cluster-viewers',
  rows: [
    { case: 'came', 'CPU us': median(came), bytes: packed(words).byteLength / WORDS },
    {
      case: 'left',
      'CPU us': median(left),
      bytes: packed(words.map(([one, viewerId]) => [one, viewerId, null])).byteLength / WORDS,
    },
  ],
  figures: {},
});
for (const { links, viewers } of nodes) {
  viewers.close();
  await links.close();
}
