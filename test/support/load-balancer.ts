/** nginx in front of the nodes of a cluster: each request goes to the next node, whatever the one before was about. */

import type { TestGateway } from './gateway.ts';
import { TestNginx } from './nginx.ts';
import { freePort } from './ports.ts';

/** In every response: the nodes that were asked, the last one answered. */
export const REQUESTED_NODES = 'x-asked-nodes';

export interface LoadBalancer {
  /** In front of the media listeners. */
  readonly url: string;
  /** In front of the API's. */
  readonly apiUrl: string;
  stop(): Promise<void>;
}

/** `preferred`: gets every request as long as it answers, and the others take turns only then. */
export async function startLoadBalancer(
  nodes: readonly TestGateway[],
  preferred?: TestGateway,
): Promise<LoadBalancer> {
  const apiPort = await freePort();
  const places = nodes.map(({ apiUrl, mediaUrl }, at) => ({
    apiUrl,
    mediaUrl,
    isBackup: preferred !== undefined && nodes[at] !== preferred,
  }));
  const nginx = await TestNginx.startWith((folder, port) =>
    configOf(folder, { media: port, api: apiPort }, places),
  );
  return { url: nginx.url, apiUrl: `http://127.0.0.1:${apiPort}`, stop: () => nginx.stop() };
}

/** `url`, which is at `from`, at `to`. */
export function movedTo(url: string, to: { readonly mediaUrl: string } | { readonly url: string }): string {
  const { pathname, search } = new URL(url);
  return new URL(`${pathname}${search}`, 'url' in to ? to.url : to.mediaUrl).href;
}

interface Place {
  readonly apiUrl: string;
  readonly mediaUrl: string;
  readonly isBackup: boolean;
}

function configOf(
  folder: string,
  ports: { readonly media: number; readonly api: number },
  places: readonly Place[],
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.join('\n  ')}
  map $http_upgrade $connection_header { default upgrade; '' ''; }
  ${serverOf('api', ports.api, places)}
  ${serverOf('media', ports.media, places)}
}
`;
}

function serverOf(name: 'api' | 'media', port: number, places: readonly Place[]): string {
  // A node that answers 503 for one camera serves the others: it is never left out.
  const servers = places.map((place) => {
    const { host } = new URL(place[`${name}Url`]);
    return `server ${host} max_fails=0${place.isBackup ? ' backup' : ''};`;
  });
  return `
  upstream sluice_${name} {
    ${servers.join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_header;
    proxy_buffering off;
    proxy_connect_timeout 1s;
    proxy_read_timeout 60s;
    proxy_next_upstream error timeout http_503;
    add_header ${REQUESTED_NODES} $upstream_addr always;
    location / { proxy_pass http://sluice_${name}; }
    location ~ ^/share/[^/]+/open$ {
      proxy_pass http://sluice_${name};
      proxy_next_upstream error timeout http_503 non_idempotent;
    }
  }`;
}
