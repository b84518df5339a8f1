/** The keys of the listeners: a part of schema.ts. */

import { group, optional, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

export const LISTEN = group('Where the gateway accepts connections. Port 0 picks any free port.', {
  api: setting(types.listenAddress, '127.0.0.1:8080', 'Management API, metrics and health.'),
  media: setting(types.listenAddress, '127.0.0.1:8081', 'Share links: viewer page, playlists and video.'),
});

const certificateOf = (listener: string, example: string) =>
  group(`Of ${listener}. Both keys, or neither.`, {
    cert: optional(
      types.path,
      'no TLS',
      'File with the certificate in PEM, followed by those that vouch for it.',
      `/etc/sluice/${example}.pem`,
    ),
    key: optional(
      types.path,
      'required with cert',
      'File with its private key in PEM, without a password.',
      `/etc/sluice/${example}.key`,
    ),
  });

export const TLS = group(
  'Certificates of the listeners. A listener with one speaks TLS 1.2 and 1.3 on its port, with HTTP/2 and HTTP/1.1. The gateway uses new files within seconds, and at SIGHUP, for new connections; paths change with a restart.',
  {
    api: certificateOf('the management API', 'api.example.com'),
    media: certificateOf('share links', 'video.example.com'),
  },
);

export const H2C = group(
  'HTTP/2 without TLS, next to HTTP/1.1, for proxies that begin with it (prior knowledge).',
  {
    api: setting(types.flag, 'false', 'On the port of listen.api.'),
    media: setting(types.flag, 'false', 'On the port of listen.media.'),
  },
);

export const PROXY_PROTOCOL = group(
  'Whether proxies in trustProxy begin each connection with a header of the PROXY protocol, version 1 or 2, that has the address of the client. Connections of these proxies without it are closed; on connections of others it is not accepted.',
  {
    api: setting(types.flag, 'false', 'On the port of listen.api.'),
    media: setting(types.flag, 'false', 'On the port of listen.media.'),
  },
);

export const PUBLIC = group('How clients reach the listeners, for example through a reverse proxy.', {
  apiUrl: optional(
    types.webUrl,
    'the address of listen.api',
    'Base URL of the management API.',
    'https://api.example.com',
  ),
  mediaUrl: optional(
    types.webUrl,
    'the address of listen.media',
    'Base URL of share links.',
    'https://video.example.com',
  ),
  lanMediaUrls: setting(
    types.listOf(types.webUrl),
    '',
    'Base URLs at which callers in the same network reach the media listener. getMediaUris offers them in addition to mediaUrl.',
  ),
  internalFiles: optional(
    types.internalLocation,
    'the gateway sends all files itself',
    'Internal location of nginx for the folder of the recordings. Files that are stored as they are sent are then left to nginx, for requests with the header X-Sendfile-Type.',
    '/sluice-files/',
  ),
});
