/** All nodes of a cluster are restarted one after the other: no viewer behind a load balancer notices. */

import { expect, test } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { TestCluster } from '../support/cluster.ts';
import type { TestGateway } from '../support/gateway.ts';
import { fetchOk, openShare } from '../support/hls.ts';
import { TestNginx } from '../support/nginx.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { FRAMES_PER_SEC, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';
import { TestViewer } from '../support/viewer.ts';
import { takePlayback, watchPlayback } from './playback-watch.ts';
import { PlayerPages } from './player-page.ts';

const CLIP_FRAMES = 64 * FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };
/** As many as one machine carries beside the nodes, nginx and a browser. */
const VIEWERS = Number(process.env.DRAIN_VIEWERS ?? 24);
/** What a viewer does not notice. */
const LONGEST_STALL_MS = 500;
/** On a busy machine. */
const READY_MS = 120_000;
/** Between two restarts. */
const SEGMENTS = 6;

test('no viewer of a camera notices a rolling restart', async () => {
  const camera = await startCamera();
  const cluster = await TestCluster.start(3, {
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '1m' },
    cameras: [{ name: 'Gate', rtsp: camera.url }],
  });
  const { nodes } = cluster;
  const nginx = await TestNginx.startWith((folder, port) => roundRobin(folder, port, nodes));
  const pages = await PlayerPages.start();
  const browser = await launchChromium();
  const viewers: TestViewer[] = [];
  let collector: SegmentCollector | undefined;
  try {
    const share = await nodes[0]!.share('Gate');
    const at = (url: string): string => share.m3u8Url.replace(nodes[0]!.mediaUrl, url);
    for (const { mediaUrl } of nodes) await until('the share at every node', () => fetchOk(at(mediaUrl)));
    const playlistUrl = (await openShare(at(nginx.url))).replace('stream.m3u8', 'file.m3u8');
    const page = await browser.newPage();
    await pages.play(page, 'hls.js', at(nginx.url));
    await page.waitForFunction(() => window.playingAtMs !== null, null, { timeout: 30_000 });
    collector = new SegmentCollector(() => playlistUrl);
    for (let viewer = 0; viewer < VIEWERS; viewer++) viewers.push(new TestViewer(playlistUrl));
    await collector.more(SEGMENTS);
    await watchPlayback(page);
    for (const node of nodes) {
      await node.end();
      await node.run(READY_MS);
      await collector.more(SEGMENTS);
    }
    const { longestStallMs, breaks } = await takePlayback(page);
    await Promise.all([...viewers.map((viewer) => viewer.stop()), collector.stop()]);
    process.stdout.write(`rolling restart: longest stall ${Math.round(longestStallMs)} ms\n`);
    expect(await page.evaluate(() => window.playerErrors)).toEqual([]);
    expect(misplaced(await collector.frameNumbers(PICTURE), CLIP_FRAMES)).toEqual([]);
    expect(collector.failures).toEqual([]);
    expect(viewers.flatMap(({ failures }) => failures)).toEqual([]);
    expect(breaks).toEqual([]);
    expect(longestStallMs).toBeLessThan(LONGEST_STALL_MS);
  } finally {
    await Promise.all([...viewers.map((viewer) => viewer.stop()), collector?.stop()]);
    await browser.close();
    await pages.close();
    await nginx.stop();
    await cluster.dispose();
    await camera.close();
  }
}, 600_000);

function roundRobin(folder: string, port: number, nodes: readonly TestGateway[]): string {
  const servers = nodes.map(({ mediaUrl }) => `server ${new URL(mediaUrl).host} fail_timeout=1s;`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  upstream nodes { ${servers.join(' ')} keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://nodes;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_next_upstream error timeout http_503;
      proxy_buffering off;
    }
  }
}
`;
}
