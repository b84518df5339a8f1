/** The configurations of deploy/ in real load balancers, in front of two nodes on this machine. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Child } from './child.ts';
import { type LoadBalancer, REQUESTED_NODES } from './load-balancer.ts';
import { TestNginx } from './nginx.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const HAPROXY = '/usr/sbin/haproxy';

export interface DeployedNode {
  readonly apiUrl: string;
  readonly mediaUrl: string;
}

/** `deploy/nginx.conf`. Responses say in REQUESTED_NODES which nodes were requested. */
export async function startDeployedNginx(nodes: readonly DeployedNode[]): Promise<LoadBalancer> {
  const apiPort = await freePort();
  const nginx = await TestNginx.startWith((folder, port) => {
    const text = atNodes(readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8'), nodes)
      .replaceAll('/tmp/', `${folder}/`)
      .replace('listen 8080;', `listen 127.0.0.1:${apiPort};`)
      .replace('listen 8081;', `listen 127.0.0.1:${port};`)
      .replace('worker_processes auto;', 'master_process off;')
      .replace('http {', `http {\n    add_header ${REQUESTED_NODES} $upstream_addr always;`);
    return `daemon off;\n${text}`;
  });
  return { url: nginx.url, apiUrl: `http://127.0.0.1:${apiPort}`, stop: () => nginx.stop() };
}

/** `deploy/haproxy.cfg`. */
export async function startDeployedHaproxy(nodes: readonly DeployedNode[]): Promise<LoadBalancer> {
  const [apiPort, port] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'sluice-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const text = atNodes(readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8'), nodes)
    // Descriptors of the production value are more than a test may open.
    .replace('maxconn 16384', 'maxconn 500')
    .replace('bind :8080', `bind 127.0.0.1:${apiPort}`)
    .replace('bind :8081', `bind 127.0.0.1:${port}`);
  writeFileSync(file, text);
  // In the foreground, as one process.
  const child = new Child(HAPROXY, ['-db', '-f', file]);
  const ended = child.exited.then(() => {
    throw new Error(`HAProxy ended: ${child.lines.join('\n')}`);
  });
  ended.catch(() => undefined);
  await Promise.race([until('HAProxy', () => isOpen(port)), ended]);
  return {
    url: `http://127.0.0.1:${port}`,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    async stop() {
      await child.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With the addresses of these nodes; lines about others are left out. */
function atNodes(config: string, nodes: readonly DeployedNode[]): string {
  const lines = config.split('\n').flatMap((line) => {
    const named = /172\.28\.0\.1(\d):808([01])/.exec(line);
    if (named === null) return [line];
    const node = nodes[Number(named[1]) - 1];
    if (node === undefined) return [];
    return [line.replace(named[0], new URL(named[2] === '0' ? node.apiUrl : node.mediaUrl).host)];
  });
  return lines.join('\n');
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await new Promise<boolean>((done) => {
    socket.on('connect', () => done(true));
    socket.on('error', () => done(false));
  });
  socket.destroy();
  return outcome;
}
