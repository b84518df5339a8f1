/**
 * Every key of the configuration: its type, default and description. Reading (load-config.ts), the reference page
 * (render-reference.ts) and the sample file (render-sample.ts) are made from this table.
 */

import { type Described, group, optional, recordList, required, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

const LISTEN = group('Where the gateway accepts connections. Port 0 takes any free port.', {
  api: setting(types.listenAddress, '127.0.0.1:8080', 'Management API, metrics and health.'),
  media: setting(types.listenAddress, '127.0.0.1:8081', 'Shared links: viewer page, playlists and video.'),
});

const PUBLIC = group('How clients reach the listeners, for instance through a reverse proxy.', {
  apiUrl: optional(
    types.webUrl,
    'the address of listen.api',
    'Base of the management API.',
    'https://api.example.com',
  ),
  mediaUrl: optional(
    types.webUrl,
    'the address of listen.media',
    'Base of shared links.',
    'https://video.example.com',
  ),
});

const BOOTSTRAP = group('Keys that exist from the first start. Others are made with `sluice keys`.', {
  apiKey: optional(
    types.apiKey,
    'made at the first start and shown once',
    'Key with the scheme api.',
    'slc_…',
  ),
  partnerApiKey: optional(
    types.apiKey,
    'made at the first start and shown once',
    'Key with the scheme partner-api.',
    'slc_…',
  ),
});

const HLS = group('The live window that viewers play from.', {
  segmentTarget: setting(
    types.duration('500ms', '10s'),
    '2s',
    'Segments end at the first key frame after this time.',
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
    'A camera that nobody watches is closed after this time. A request that waits for video watches.',
  ),
  maxWindowBytes: setting(
    types.size('1MiB', '4GiB'),
    '64MiB',
    'Most media one rendition may hold: a profile with sound, and the same without, count apart.',
  ),
});

const SOURCES = group('Connections to cameras.', {
  connectTimeout: setting(types.duration('1s', '2m'), '10s', 'From connecting to the answer to PLAY.'),
  silenceTimeout: setting(
    types.duration('1s', '5m'),
    '10s',
    'A camera whose picture stands still this long is opened anew; keep it above the interval of your slowest pictures.',
  ),
  backoffMin: setting(
    types.duration('100ms', '1m'),
    '1s',
    'Pause before the second attempt; it doubles from then on.',
  ),
  backoffMax: setting(types.duration('1s', '1h'), '30s', 'Longest pause between attempts.'),
  allowLocal: setting(
    types.flag,
    'false',
    'Whether cameras added through the API may be on this machine or link-local. Cameras of this file may be anywhere.',
  ),
});

const FFMPEG = group('Workers for what the direct engine cannot carry, such as H.265.', {
  path: optional(
    types.path,
    'the ffmpeg of the system, else the bundled one',
    'The binary.',
    '/usr/bin/ffmpeg',
  ),
  maxWorkers: setting(types.integer(0, 256), '4', 'Processes at once; further cameras wait.'),
  queueTimeout: setting(types.duration('0s', '10m'), '10s', 'How long a camera waits for a worker.'),
});

const ACCESS = group('Who may watch shared links.', {
  grantLifetime: setting(
    types.duration('1m', '30d'),
    '24h',
    'How long a viewer plays before the link is opened again.',
  ),
  passwordAttempts: setting(types.integer(1, 1_000), '10', 'Wrong passwords per minute, share and address.'),
  opensPerMinute: setting(
    types.integer(1, 1_000_000),
    '600',
    'Openings of one share from one address per minute; two minutes of them may come at once.',
  ),
  maxViewersPerShare: optional(
    types.integer(1, 1_000_000),
    'no limit',
    'Viewers of one share at once.',
    '500',
  ),
  maxConnectionsPerAddress: optional(
    types.integer(1, 1_000_000),
    'half of all that the media listener takes',
    'Connections of one address (IPv6: one /64) to the media listener. Addresses of trustProxy are not counted.',
    '5000',
  ),
});

const API = group('The management API.', {
  rateLimit: setting(
    types.integer(1, 1_000_000),
    '600',
    'Requests per minute of one organisation; more are answered with 429. A burst may take a sixth of them at once.',
  ),
  authenticationAttempts: setting(
    types.integer(1, 1_000_000),
    '12',
    'Requests without an accepted key per minute and address; more are answered with 429. 100 seconds of them may come at once.',
  ),
});

const METRICS = group('What Prometheus reads at /metrics of the API listener.', {
  token: optional(
    types.apiKey,
    'anyone who reaches the API listener may read it',
    'Who reads it must send it as Authorization: Bearer.',
    'a-random-token-of-at-least-32-characters',
  ),
});

const LOG = group('The log, on standard error.', {
  level: setting(
    types.choice('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least severity that is written.',
  ),
  format: setting(
    types.choice('auto', 'json', 'pretty'),
    'auto',
    'auto is pretty on a terminal and JSON elsewhere.',
  ),
});

const LOCATIONS = recordList('Sites, with the time zone by which schedules run.', {
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
  'Cameras. One that leaves the file is removed; its shares wait for its return. Cameras made through the API are not touched.',
  {
    uuid: optional(
      types.ruuid,
      'derived from the name',
      'Stable identity: keeps shares when renamed.',
      'qqqqqqqqqqqqqqqqqqqqqQ',
    ),
    name: required(types.text, 'Unique among cameras.', 'Lobby'),
    location: optional(types.text, 'that of the NVR', 'Name of a location above.', 'HQ'),
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
      'Smaller stream, offered beside the main one.',
      'rtsp://user:password@192.0.2.10/sub',
    ),
    engine: setting(
      types.choice('auto', 'direct', 'ffmpeg'),
      'auto',
      'auto takes ffmpeg for what direct cannot carry.',
    ),
    transport: setting(types.choice('auto', 'tcp', 'udp'), 'auto', 'auto tries TCP, then UDP.'),
    tls: setting(
      types.tlsTrust,
      'any',
      'What the certificate of an rtsps:// camera must prove: any takes every certificate, verify wants one that is valid for the host, sha256: and the fingerprint wants that one.',
    ),
  },
);

const WEBHOOKS = group('Calls of other services, as lockdown rules and the webhook integration ask for.', {
  allowPrivateNetworks: setting(
    types.flag,
    'false',
    'Whether hosts in private and reserved networks may be called. Leave it off where callers of the API are not trusted with them.',
  ),
});

const RETENTION = group(
  'How long what devices report and what callers do is kept. Older rows are removed every hour.',
  {
    events: setting(
      types.duration('1d', '36500d'),
      '400d',
      'Policy alerts, events of doors, rows of point-of-sale systems, reports of device health.',
    ),
    crossings: setting(types.duration('1d', '36500d'), '400d', 'Threshold crossings and occupancy counts.'),
    audit: setting(types.duration('1d', '36500d'), '400d', 'The audit trail.'),
    auditMaxRows: setting(
      types.integer(1_000, 100_000_000),
      '250000',
      'Rows of one organisation in the audit trail, at about 1 kB each. Beyond it the oldest viewings go first, then the oldest changes.',
    ),
  },
);

export const CONFIG_SCHEMA = group('', {
  listen: LISTEN,
  public: PUBLIC,
  data: setting(
    types.path,
    './data',
    'Folder of the SQLite database and the secret key. Back it up as a whole.',
  ),
  redis: optional(
    types.credentialUrl('redis', 'rediss'),
    'counts in memory, for one node',
    'Counts of shares and viewers over several nodes.',
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
    'only when no camera is known',
    'Run a synthetic camera with a shared link.',
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
  trustProxy: setting(types.listOf(types.network), '', 'Proxies whose X-Forwarded-For is believed.'),
  cors: setting(types.listOf(types.origin), '', 'Origins that may call the management API from a browser.'),
  locations: LOCATIONS,
  nvrs: NVRS,
  cameras: CAMERAS,
});

/** The whole configuration, frozen. Durations are in milliseconds (`…Ms`), sizes in bytes (`…Bytes`). */
export type Config = Described<typeof CONFIG_SCHEMA>;
export type LocationConfig = Config['locations'][number];
export type NvrConfig = Config['nvrs'][number];
export type CameraConfig = Config['cameras'][number];
