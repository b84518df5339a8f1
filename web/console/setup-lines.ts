/** The lines that let others in: for `sluice.yaml`, and for nginx in front of both listeners. Pure. */

import type { Setting } from './gateway-state.ts';

export interface SetupRequest {
  /** Host name of links. */
  readonly mediaHost: string;
  /** Host name of the console and the API; empty: only this network. */
  readonly apiHost: string;
  /** Addresses of the listeners as they are, such as `127.0.0.1:8081`. */
  readonly mediaListen: string;
  readonly apiListen: string;
}

const DEFAULT_LISTEN = { api: '127.0.0.1:8080', media: '127.0.0.1:8081' } as const;
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i;

/** Whether a text is a complete host name: nothing else gets into the lines. */
export function isHostName(text: string): boolean {
  return HOST_NAME.test(text);
}

/** The listeners of the configuration in effect. */
export function listenersOf(settings: readonly Setting[]): Pick<SetupRequest, 'mediaListen' | 'apiListen'> {
  const configured = (path: string) => settings.find((setting) => setting.path === path)?.value;
  return {
    mediaListen: configured('listen.media') ?? DEFAULT_LISTEN.media,
    apiListen: configured('listen.api') ?? DEFAULT_LISTEN.api,
  };
}

/** Lines to merge with those under the same keys in the file. */
export function sluiceLines({ mediaHost, apiHost, mediaListen, apiListen }: SetupRequest): string {
  const apiUrl = apiHost === '' ? '' : `  apiUrl: https://${apiHost}\n`;
  return `listen:
  media: "${upstreamOf(mediaListen)}"
  api: "${apiHost === '' ? apiListen : upstreamOf(apiListen)}"
public:
  mediaUrl: https://${mediaHost}
${apiUrl}trustProxy: 127.0.0.1
`;
}

/** A file for the folder that nginx includes within `http`. */
export function nginxLines({ mediaHost, apiHost, mediaListen, apiListen }: SetupRequest): string {
  const media = serverLines(mediaHost, 'sluice_media', '~ ^/live/[^/]+/wsl?$', '# real-time view');
  const api = serverLines(apiHost, 'sluice_api', '= /websocket', '# changes, for the console (STOMP)');
  const apiUpstream = `upstream sluice_api { server ${upstreamOf(apiListen)}; keepalive 16; }\n`;
  return `upstream sluice_media { server ${upstreamOf(mediaListen)}; keepalive 256; }
${apiHost === '' ? '' : apiUpstream}
${media}${apiHost === '' ? '' : `\n${api}`}`;
}

function serverLines(host: string, upstream: string, sockets: string, comment: string): string {
  const metrics = upstream === 'sluice_api' ? '    location = /metrics { return 404; }\n\n' : '';
  return `server {
    listen 443 ssl http2;
    server_name ${host};
    ssl_certificate     /etc/ssl/${host}.pem;
    ssl_certificate_key /etc/ssl/${host}.key;
    access_log off;                       # paths contain tokens and grants

    location / {
        proxy_pass http://${upstream};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_buffering off;
        proxy_cache off;
        proxy_read_timeout 90s;
    }

${metrics}    location ${sockets} {  ${comment}
        proxy_pass http://${upstream};
        proxy_http_version 1.1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection "upgrade";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_buffering off;
        proxy_read_timeout 90s;
    }
}
`;
}

/** On the same machine: a listener on every address is at loopback, too. */
function upstreamOf(listen: string): string {
  const at = listen.lastIndexOf(':');
  const [host, port] = [listen.slice(0, at), listen.slice(at + 1)];
  return `${['0.0.0.0', '[::]', '::', '', 'localhost'].includes(host) ? '127.0.0.1' : host}:${port}`;
}
