/** The keys of the listeners: a part of schema.ts. */

import { group, optional, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

export const LISTEN = group('Where the gateway accepts connections. Port 0 picks any free port.', {
  api: setting(types.listenAddress, '127.0.0.1:8080', 'Management API, metrics and health.'),
  media: setting(types.listenAddress, '127.0.0.1:8081', 'Share links: viewer page, playlists and video.'),
});

const certificateOf = (listener: string, example: string) =>
  group(`Of ${listener}: cert and key, or acme, or none of them.`, {
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
    acme: setting(types.flag, 'false', 'The certificate comes from the ACME server of tls.acme.'),
  });

const ACME = group(
  'How the gateway gets a certificate from an ACME server such as Let’s Encrypt, and renews it. For listeners with acme: true.',
  {
    domains: setting(
      types.listOf(types.domainName),
      '',
      'Names in the certificate, of all listeners with it.',
    ),
    termsAgreed: setting(types.flag, 'false', 'Whether you agree to the terms of the ACME server. Required.'),
    email: optional(
      types.email,
      'none',
      'Where the ACME server can reach you about your account.',
      'admin@example.com',
    ),
    directory: setting(
      types.secureUrl,
      'https://acme-v02.api.letsencrypt.org/directory',
      'Directory URL of the ACME server.',
    ),
    ca: optional(
      types.path,
      'the authorities that Node.js trusts',
      'File in PEM with the authorities that the HTTPS of the ACME server must prove, for one that you run.',
      '/etc/sluice/acme-ca.pem',
    ),
    http: setting(
      types.listenAddress,
      '0.0.0.0:80',
      'Where the gateway answers the ACME server (http-01). Requests to port 80 of each domain must get here. It answers nothing else.',
    ),
  },
);

export const TLS = group(
  'Certificates of the listeners. A listener with one speaks TLS 1.2 and 1.3 on its port, with HTTP/2 and HTTP/1.1. The gateway uses new files within seconds, and at SIGHUP, for new connections; SIGHUP also makes it order a certificate again that the ACME server did not issue. Paths change with a restart.',
  {
    api: certificateOf('the management API', 'api.example.com'),
    media: certificateOf('share links', 'video.example.com'),
    acme: ACME,
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

export const SECURITY = group(
  'Whom to tell about a vulnerability of this installation: both listeners serve it at /.well-known/security.txt (RFC 9116). Changes need a restart.',
  {
    contact: setting(
      types.listOf(types.contactUri),
      '',
      'Where to report, the preferred way first. If empty, there is no such file.',
    ),
    expires: optional(
      types.date,
      'required with contact',
      'Until when this is right, at most a year ahead. From this day on, the gateway no longer serves the file.',
      '2027-06-30',
    ),
    policy: optional(
      types.secureUrl,
      'none',
      'Where your rules for such reports are.',
      'https://example.com/security',
    ),
  },
);

export const RTSP = group(
  'Live video that programs read by RTSP, through the same links as with HTTP: rtsp://host:port/live/ and the token of the link. Off unless you set an address.',
  {
    listen: optional(
      types.listenAddress,
      'no RTSP',
      'Where programs connect. RTSP is not encrypted: anyone who can read the network can read passwords and video.',
      '0.0.0.0:8554',
    ),
    udpPort: optional(
      types.integer(1_024, 65_534),
      'no media by UDP',
      'Where media by UDP comes from, at the host of rtsp.listen: an even port for RTP, and the next one for RTCP. It goes only to the address of a program’s TCP connection.',
      '8000',
    ),
    secureListen: optional(
      types.listenAddress,
      'no RTSPS',
      'Where programs connect with TLS, with the certificate of tls.media.',
      '0.0.0.0:8322',
    ),
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
  rtspUrl: optional(
    types.rtspBase,
    'the host of mediaUrl, with the port of rtsp.secureListen or rtsp.listen',
    'Base URL at which programs reach the RTSP listener, for the addresses of links.',
    'rtsps://video.example.com:8322',
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
