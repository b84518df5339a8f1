/**
 * Every key of the configuration: its type, default and description. Reading (load-config.ts), the reference page
 * (render-reference.ts) and the sample file (render-sample.ts) are all based on this table.
 */

import { type Described, group, optional, recordList, required, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

const LISTEN = group('Where the gateway accepts connections. Port 0 picks any free port.', {
  api: setting(types.listenAddress, '127.0.0.1:8080', 'Management API, metrics and health.'),
  media: setting(types.listenAddress, '127.0.0.1:8081', 'Share links: viewer page, playlists and video.'),
});

const PUBLIC = group('How clients reach the listeners, for example through a reverse proxy.', {
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
});

const BOOTSTRAP = group('Keys that exist from the first start. Make others with `sluice keys`.', {
  apiKey: optional(
    types.apiKey,
    'made at the first start and shown once',
    'A key with the scheme api.',
    'slc_…',
  ),
  partnerApiKey: optional(
    types.apiKey,
    'made at the first start and shown once',
    'A key with the scheme partner-api.',
    'slc_…',
  ),
});

const HLS = group('The live window that viewers play from.', {
  segmentTarget: setting(
    types.duration('500ms', '10s'),
    '2s',
    'A segment ends at the first key frame after this time.',
  ),
  partTarget: setting(
    types.duration('100ms', '2s'),
    '333ms',
    'Length of the parts that low-latency players fetch.',
  ),
  window: setting(types.duration('4s', '10m'), '16s', 'How much video a playlist lists.'),
  idleStop: setting(
    types.duration('1s', '24h'),
    '30s',
    'The gateway closes a camera that no one has watched for this long. A request that is waiting for video counts as watching.',
  ),
  maxWindowBytes: setting(
    types.size('1MiB', '4GiB'),
    '64MiB',
    'The most media that one rendition can hold. A profile with audio and the same profile without audio count separately.',
  ),
});

const SOURCES = group('Connections to cameras.', {
  connectTimeout: setting(
    types.duration('1s', '2m'),
    '10s',
    'Time limit from connecting to the response to PLAY.',
  ),
  silenceTimeout: setting(
    types.duration('1s', '5m'),
    '10s',
    'The gateway reopens a camera whose video has been frozen for this long. Keep it above the frame interval of your slowest camera.',
  ),
  backoffMin: setting(
    types.duration('100ms', '1m'),
    '1s',
    'Pause before the second attempt. It doubles after each attempt.',
  ),
  backoffMax: setting(types.duration('1s', '1h'), '30s', 'Longest pause between attempts.'),
  allowLocal: setting(
    types.flag,
    'false',
    'Whether cameras added through the API can be on this machine or on link-local addresses. Cameras in this file can be anywhere.',
  ),
});

const FFMPEG = group('Workers for media that the direct engine cannot carry, such as H.265.', {
  path: optional(
    types.path,
    "the system's ffmpeg, or the bundled one",
    'Path of the binary.',
    '/usr/bin/ffmpeg',
  ),
  maxWorkers: setting(
    types.integer(0, 256),
    '4',
    'How many processes can run at once. More cameras have to wait.',
  ),
  queueTimeout: setting(types.duration('0s', '10m'), '10s', 'How long a camera waits for a worker.'),
});

const ACCESS = group('Limits on viewers of share links.', {
  grantLifetime: setting(
    types.duration('1m', '30d'),
    '24h',
    'How long a viewer can play before the link must be opened again.',
  ),
  passwordAttempts: setting(
    types.integer(1, 1_000),
    '10',
    'Wrong passwords allowed per minute, per share and address.',
  ),
  opensPerMinute: setting(
    types.integer(1, 1_000_000),
    '600',
    "How often one address can open one share per minute. Two minutes' worth can come at once.",
  ),
  maxViewersPerShare: optional(
    types.integer(1, 1_000_000),
    'no limit',
    'How many viewers can watch one share at once.',
    '500',
  ),
  maxConnectionsPerAddress: optional(
    types.integer(1, 1_000_000),
    'half of all connections that the media listener accepts',
    'How many connections one address (IPv6: one /64) can have to the media listener. Addresses in trustProxy are not counted.',
    '5000',
  ),
});

const API = group('The management API.', {
  rateLimit: setting(
    types.integer(1, 1_000_000),
    '600',
    'Requests per minute for one organization. More requests get 429. A sixth of them can come at once.',
  ),
  authenticationAttempts: setting(
    types.integer(1, 1_000_000),
    '12',
    'Requests without an accepted key per minute from one address. More requests get 429. As many as fit into 100 seconds can come at once.',
  ),
});

const METRICS = group('What Prometheus reads at /metrics on the API listener.', {
  token: optional(
    types.apiKey,
    'anyone who can reach the API listener can read it',
    'Token that clients must send as Authorization: Bearer.',
    'a-random-token-of-at-least-32-characters',
  ),
});

const LOG = group('The log, on standard error.', {
  level: setting(
    types.choice('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'The lowest severity that is logged.',
  ),
  format: setting(
    types.choice('auto', 'json', 'pretty'),
    'auto',
    'auto means pretty on a terminal and JSON elsewhere.',
  ),
});

const LOCATIONS = recordList('Sites, with the time zone for schedules.', {
  uuid: optional(types.ruuid, 'derived from the name', 'Stable identity.', 'qqqqqqqqqqqqqqqqqqqqqg'),
  name: required(types.text, 'Unique among locations.', 'HQ'),
  tz: required(types.timeZone, 'IANA time zone.', 'America/New_York'),
  latitude: optional(types.decimal(-90, 90), 'unknown', 'Degrees north.', '40.7128'),
  longitude: optional(types.decimal(-180, 180), 'unknown', 'Degrees east.', '-74.006'),
  address1: optional(types.text, 'unknown', 'First line of the address.', '1 Pier Road'),
  address2: optional(types.text, 'unknown', 'Second line of the address.', 'Gate 3'),
  postalCode: optional(types.text, 'unknown', 'Postal code.', '10001'),
  countryCode: optional(types.text, 'unknown', 'ISO 3166 country code.', 'US'),
});

const NVRS = recordList('Network video recorders that cameras belong to.', {
  uuid: optional(types.ruuid, 'derived from the name', 'Stable identity.', 'qqqqqqqqqqqqqqqqqqqqqw'),
  name: required(types.text, 'Unique among NVRs.', 'Core'),
  location: optional(types.text, 'none', 'Name of a location above.', 'HQ'),
  serialNumber: optional(types.text, 'unknown', 'As printed on the device.', 'SN-0001'),
});

const CAMERAS = recordList(
  'Cameras. If you remove a camera from the file, the gateway removes it too; its shares wait for its return. Cameras added through the API are not touched.',
  {
    uuid: optional(
      types.ruuid,
      'derived from the name',
      'Stable identity: keeps shares when renamed.',
      'qqqqqqqqqqqqqqqqqqqqqQ',
    ),
    name: required(types.text, 'Unique among cameras.', 'Lobby'),
    location: optional(types.text, "the NVR's location", 'Name of a location above.', 'HQ'),
    nvr: optional(types.text, 'none', 'Name of an NVR above.', 'Core'),
    kind: setting(types.choice('camera', 'doorbell'), 'camera', 'What the device is.'),
    rtsp: required(
      types.credentialUrl('rtsp', 'rtsps'),
      'Main stream.',
      'rtsp://user:password@192.0.2.10/main',
    ),
    substream: optional(
      types.credentialUrl('rtsp', 'rtsps'),
      'none',
      'Smaller stream, offered in addition to the main stream.',
      'rtsp://user:password@192.0.2.10/sub',
    ),
    engine: setting(
      types.choice('auto', 'direct', 'ffmpeg'),
      'auto',
      'auto uses ffmpeg for media that direct cannot carry.',
    ),
    transport: setting(types.choice('auto', 'tcp', 'udp'), 'auto', 'auto tries TCP, then UDP.'),
    tls: setting(
      types.tlsTrust,
      'any',
      'What the certificate of an rtsps:// camera must prove: any accepts every certificate, verify requires one that is valid for the host, and sha256: with a fingerprint requires exactly that certificate.',
    ),
  },
);

const WEBHOOKS = group('Calls to other services, made by lockdown rules and the webhook integration.', {
  allowPrivateNetworks: setting(
    types.flag,
    'false',
    'Whether the gateway can call hosts in private and reserved networks. Leave it off unless you trust API callers with those networks.',
  ),
});

const RETENTION = group(
  'How long to keep device reports and records of what callers did. Older rows are removed every hour.',
  {
    events: setting(
      types.duration('1d', '36500d'),
      '400d',
      'Policy alerts, door events, point-of-sale rows and device health reports.',
    ),
    crossings: setting(types.duration('1d', '36500d'), '400d', 'Threshold crossings and occupancy counts.'),
    audit: setting(types.duration('1d', '36500d'), '400d', 'The audit trail.'),
    auditMaxRows: setting(
      types.integer(1_000, 100_000_000),
      '250000',
      'Rows of one organization in the audit trail, at about 1 kB each. Beyond this number, the oldest views are removed first, then the oldest changes.',
    ),
  },
);

export const CONFIG_SCHEMA = group('', {
  listen: LISTEN,
  public: PUBLIC,
  data: setting(
    types.path,
    './data',
    'Folder for the SQLite database and the secret key. Back up the whole folder.',
  ),
  redis: optional(
    types.credentialUrl('redis', 'rediss'),
    'in memory',
    'Redis database, for this gateway alone, for counts of shares and viewers and for rate limits of the API.',
    'redis://localhost:6379',
  ),
  database: optional(
    types.credentialUrl('postgres', 'postgresql'),
    'SQLite in the data folder',
    'PostgreSQL database for everything the API stores. The secret key stays in the data folder.',
    'postgres://sluice:secret@localhost/sluice',
  ),
  bootstrap: BOOTSTRAP,
  demo: optional(
    types.flag,
    'only if there are no cameras',
    'Run a synthetic camera with a share link.',
    'true',
  ),
  hls: HLS,
  sources: SOURCES,
  ffmpeg: FFMPEG,
  access: ACCESS,
  api: API,
  webhooks: WEBHOOKS,
  retention: RETENTION,
  metrics: METRICS,
  log: LOG,
  trustProxy: setting(types.listOf(types.network), '', 'Proxies whose X-Forwarded-For the gateway believes.'),
  cors: setting(types.listOf(types.origin), '', 'Origins that can call the management API from a browser.'),
  locations: LOCATIONS,
  nvrs: NVRS,
  cameras: CAMERAS,
});

/** The whole configuration, frozen. Durations are in milliseconds (`…Ms`), sizes in bytes (`…Bytes`). */
export type Config = Described<typeof CONFIG_SCHEMA>;
export type LocationConfig = Config['locations'][number];
export type NvrConfig = Config['nvrs'][number];
export type CameraConfig = Config['cameras'][number];
