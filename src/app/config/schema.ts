/**
 * Every key of the configuration: its type, default and description. Reading (load-config.ts), the reference page
 * (render-reference.ts) and the sample file (render-sample.ts) are all based on this table.
 *
 * Longer than 500 lines: one table of all keys.
 */

import { CAMERAS, FFMPEG, RTMP, SOURCES } from './camera-schema.ts';
import { CLUSTER } from './cluster-schema.ts';
import { H2C, LISTEN, PROXY_PROTOCOL, PUBLIC, RTSP, SECURITY, TLS } from './listener-schema.ts';
import { MAIL } from './mail-schema.ts';
import { type Described, group, optional, recordList, required, setting } from './schema-nodes.ts';
import * as types from './value-types.ts';

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

const CDN = setting(
  types.flag,
  'false',
  "Whether viewers of share links get live HLS video under paths that they share, so that a cache or CDN in front of the gateway can serve it. Shares can say otherwise. Playlists and init segments stay behind each viewer's access.",
);
const CDN_ROTATION = setting(
  types.duration('5s', '10m'),
  '30s',
  'How long such a path leads to its video. Someone who may no longer watch, but has paths, gets no video after this time.',
);

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
    "How often one address can open one share per minute. Two minutes' worth can come together.",
  ),
  maxViewersPerShare: optional(
    types.integer(1, 1_000_000),
    'no limit',
    'How many viewers can watch one share at the same time.',
    '500',
  ),
  maxConnectionsPerAddress: optional(
    types.integer(1, 1_000_000),
    'half of all connections that the media listener accepts',
    'How many connections one address (IPv6: one /64) can have to the media listener. Addresses in trustProxy are not counted.',
    '5000',
  ),
});

const THREADS = group('What runs in threads of its own. Changes need a restart.', {
  viewers: setting(
    types.integer(0, 64),
    '0',
    'Threads that viewers connect to, one for each core that is to serve them. 0: the thread that carries the cameras serves them.',
  ),
  cameras: setting(
    types.integer(0, 64),
    '0',
    'Threads that read and package cameras over RTSP, one for each core that is to do so. 0: the gateway’s thread does both.',
  ),
});

const API = group('The management API.', {
  rateLimit: setting(
    types.integer(1, 1_000_000),
    '600',
    'Requests per minute for one organization. More requests get 429. A sixth of them can come together.',
  ),
  authenticationAttempts: setting(
    types.integer(1, 1_000_000),
    '12',
    'Requests without an accepted key per minute from one address. More requests get 429. As many as fit into 100 seconds can come together.',
  ),
});

const CONSOLE = group('The web page for people. Changes need a restart.', {
  mapTiles: optional(
    types.tileTemplate,
    'no street map, and no request to another host',
    'Tiles of the street map of the sites: browsers of the people who open the map request them from this host, which learns the console’s address. For OpenStreetMap, read its tile usage policy.',
    'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  ),
  mapAttribution: setting(
    types.text,
    '© OpenStreetMap contributors',
    'Whose map it is, as its license requires. The map shows it.',
  ),
  mapMaxZoom: setting(types.integer(1, 22), '19', 'The largest zoom for which there are tiles.'),
});

const OIDC = group(
  'Single sign-on with an OpenID Connect provider, to the console and for viewers of shares with ssoProtected. Register <public.apiUrl>/console/oidc/callback and, for viewers, <public.mediaUrl>/sso/callback there as redirect URIs, <public.apiUrl>/console/ as the post-logout redirect URI, and <public.apiUrl>/console/oidc/logout as the back-channel logout URI. Changes need a restart.',
  {
    issuer: optional(
      types.webUrl,
      'no single sign-on',
      'The issuer, as the provider names itself, with or without a slash at the end. https, except on this machine.',
      'https://login.example.com',
    ),
    clientId: optional(types.text, 'required with issuer', 'The client ID at the provider.', 'sluice'),
    clientSecret: optional(
      types.secretText,
      'required with issuer',
      'The client secret at the provider.',
      'a-client-secret',
    ),
    scopes: setting(types.listOf(types.text), 'openid, email, profile', 'What to ask the provider for.'),
    allowedDomains: setting(
      types.listOf(types.text),
      '',
      'Email domains whose accounts can sign in. If empty, invitations or roles alone decide about the console, and shares cannot ask their viewers to sign in.',
    ),
    roleClaim: setting(
      types.text,
      'groups',
      'The claim whose values decide the role, if any are mapped below. Then people with a mapped value need no invitation, and others cannot sign in.',
    ),
    adminValues: setting(types.listOf(types.text), '', 'Values of roleClaim that mean admin.'),
    operatorValues: setting(types.listOf(types.text), '', 'Values of roleClaim that mean operator.'),
    viewerValues: setting(types.listOf(types.text), '', 'Values of roleClaim that mean viewer.'),
    label: setting(types.text, 'Single sign-on', 'What the button says, after “Continue with”.'),
  },
);

const SIGN_IN = group('Sign-in providers that organizations add in the console. Changes need a restart.', {
  domainProof: setting(
    types.choice('dns', 'none'),
    'dns',
    'Whether one of several organizations proves by a TXT record that an email domain is its own, before people with such addresses are led to its provider. With none, the organization that names a domain first has it: only if one operator sets up all organizations.',
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
  playback: optional(
    types.choice('onvif', 'hikvision', 'dahua', 'rtsp'),
    'its recordings are not shown',
    'How to list and play what the NVR has recorded of its cameras. rtsp is for NVRs that only play a time by RTSP (Range: clock).',
    'hikvision',
  ),
  playbackUrl: optional(
    types.credentialUrl('http', 'https'),
    "http:// with the host and login of each camera's rtsp",
    "The NVR's web server or ONVIF service, for lists of recordings.",
    'http://user:password@192.0.2.20',
  ),
  playbackRtsp: optional(
    types.credentialUrl('rtsp', 'rtsps'),
    "the server and login of each camera's rtsp",
    "The NVR's RTSP server, if the cameras are read without the NVR.",
    'rtsp://user:password@192.0.2.20',
  ),
  playbackSessions: setting(
    types.integer(1, 64),
    '1',
    'How many recordings the NVR plays at the same time. Others wait. Many NVRs play only one.',
  ),
});

const S3 = group('Where recordings are uploaded to: S3, or storage that speaks its protocol.', {
  bucket: optional(
    types.text,
    'recordings stay in the folder',
    'Where to upload recordings. Files are written to the folder first, and uploaded when they are finished.',
    'recordings',
  ),
  region: setting(types.text, 'us-east-1', 'Region of the bucket.'),
  endpoint: optional(
    types.webUrl,
    "AWS's for the region",
    'Address of the storage.',
    'https://s3.example.com',
  ),
  prefix: optional(types.text, 'none', 'What the names of all objects begin with.', 'sluice/'),
  accessKeyId: optional(
    types.text,
    'as the AWS SDK finds it: environment, shared files, role of the machine',
    'Who uploads. Needs permission to list, read, write and delete.',
    'AKIAEXAMPLE',
  ),
  secretAccessKey: optional(
    types.secretText,
    'with accessKeyId',
    'The secret of accessKeyId.',
    'a-secret-key',
  ),
  spoolSize: setting(
    types.size('64MiB', '1000000GiB'),
    '20GiB',
    'The most disk for recordings that are not uploaded yet. Beyond this, nothing more is recorded until uploads work again. 100 cameras of 4 Mbit/s write 3 GB in a minute.',
  ),
});

const TIERS = group('Where recordings are stored, by their age.', {
  local: optional(
    types.duration('1h', '36500d'),
    'they move to S3 when they are finished',
    'How long recordings stay in the folder before they move to S3, where they stay until they are deleted. They move earlier if the disk has less room than minFree. Needs s3.bucket.',
    '7d',
  ),
});

const RECORDING = group('Recordings of cameras. Each camera says whether it is recorded.', {
  folder: optional(
    types.path,
    'the folder recordings in the data folder',
    'Where recordings are stored. Use a disk of its own for many cameras.',
    '/var/lib/sluice/recordings',
  ),
  streams: setting(
    types.choice('main', 'sub', 'both'),
    'both',
    "Which streams of a camera are recorded: the main stream, the substream, or both. A substream takes 5 to 20 % of the main stream's room. Of a camera without a substream, the main stream is recorded.",
  ),
  keep: setting(
    types.keptTimes('1h', '36500d'),
    '30d',
    'How long to keep recordings. Older ones are deleted, also those of cameras that were removed. The substream can be kept for another time, and after both times, key frames can stay, one picture every second or so: { main: 14d, sub: 90d, keyFrames: 365d }.',
  ),
  keepForShares: setting(
    types.duration('1h', '36500d'),
    '7d',
    'How long to keep what was recorded only because a share has vodEnabled. Never longer than other recordings of the camera.',
  ),
  maxSizePerCamera: optional(
    types.size('1GiB', '1000000GiB'),
    'no limit',
    'How much to keep of one camera. Beyond this, its oldest recordings are deleted.',
    '200GiB',
  ),
  maxSizePerOrganization: optional(
    types.size('1GiB', '1000000GiB'),
    'no limit',
    'How much to keep of all cameras of one organization. Beyond this, its oldest recordings are deleted.',
    '2000GiB',
  ),
  minFree: setting(
    types.size('16MiB', '1000000GiB'),
    '4GiB',
    'Room to leave on the disk. If there is less, the oldest recordings of the organization that uses most are deleted, and uploads are refused. Below half of it, nothing is recorded.',
  ),
  tiers: TIERS,
  fileSize: setting(
    types.size('4MiB', '1GiB'),
    '128MiB',
    'Size of recording files. Recordings are deleted by whole files.',
  ),
  buffer: setting(
    types.size('8MiB', '1GiB'),
    '64MiB',
    'The most memory for video that waits for the disk. Beyond this, recordings have gaps; live video does not.',
  ),
  encrypt: setting(
    types.flag,
    'false',
    'Whether new recordings are encrypted, each camera with a key of its own that is derived from the secret key. Without that key, they cannot be read.',
  ),
  thumbnails: setting(
    types.flag,
    'true',
    'Whether recordings get thumbnails, which timelines show. They take at most 1% more room, and a few thousandths of a core per camera.',
  ),
  h264Cache: setting(
    types.size('64MiB', '1000GiB'),
    '1GiB',
    'How much disk space H.264 of recordings may take that was made for viewers who play nothing else. It is encrypted, and deleted when the gateway starts.',
  ),
  preRoll: setting(types.duration('0s', '60s'), '10s', 'How much to record before an event.'),
  postRoll: setting(types.duration('0s', '1h'), '30s', 'How much to record after an event.'),
  preRollBuffer: setting(
    types.size('8MiB', '64GiB'),
    '256MiB',
    'The most memory for the time before events, of all cameras that record events. 15 seconds of 4 Mbit/s take 7.5 MB. Beyond this, pre-rolls become shorter.',
  ),
});

const UPLOADS = group('Clips that recorders hand over at /upload/clips of the media listener.', {
  maxSize: setting(types.size('1MiB', '64GiB'), '4GiB', 'The largest file of a clip.'),
  atOncePerKey: setting(
    types.integer(1, 1_000),
    '4',
    'How many clips can be sent at the same time with one key. More get 503.',
  ),
  atOnce: setting(
    types.integer(1, 10_000),
    '16',
    'How many clips can be sent at the same time with all keys.',
  ),
  keepUnfinished: setting(
    types.duration('1m', '30d'),
    '24h',
    'How long an upload may take. What is not complete by then is deleted.',
  ),
});

const CLIPS = group('Clips that are copied from recordings. They stay when the recordings are deleted.', {
  keep: setting(
    types.duration('1h', '36500d'),
    '730d',
    'How long to keep clips. Older ones are deleted every hour.',
  ),
  maxSize: optional(
    types.size('100MiB', '1000000GiB'),
    'no limit',
    'How much to keep of all clips. Beyond this, the oldest ones of the organization that has most are deleted every hour.',
    '500GiB',
  ),
  ofAlerts: setting(
    types.flag,
    'true',
    'Whether each policy alert of a recorded camera gets a clip, with recording.preRoll and recording.postRoll around it.',
  ),
  alertsPerHour: setting(
    types.integer(1, 3_600),
    '60',
    'How many alerts of one camera get a clip per hour. A sixth of them, at most 10, can come together.',
  ),
  keepOfAlerts: setting(
    types.duration('1h', '36500d'),
    '30d',
    'How long to keep clips of alerts that no one saved. Saved ones are kept like other clips.',
  ),
  maxSizeOfAlerts: setting(
    types.size('100MiB', '1000000GiB'),
    '20GiB',
    'How much to keep of all clips of alerts that no one saved. Beyond this, the oldest ones of the organization that has most are deleted within a minute.',
  ),
});

const WEBHOOKS = group('Calls to other services, made by lockdown rules and the webhook integration.', {
  allowPrivateNetworks: setting(
    types.flag,
    'false',
    'Whether the gateway can call hosts in private and reserved networks. Leave it off unless you trust API callers with those networks.',
  ),
});

const EVIDENCE = group('Cases: recordings and clips that are sealed as evidence. Changes need a restart.', {
  timeStampUrl: optional(
    types.webUrl,
    'none',
    'Time stamp authority (RFC 3161) that confirms when a case was sealed. It receives a digest, and nothing of the case. Cases are not sealed while it does not answer.',
    'https://tsa.example.com/tsr',
  ),
  signLive: setting(
    types.flag,
    'false',
    'Whether live video carries signatures (C2PA 2.4, verifiable segment info), so that viewers can check who sent it and that nothing was changed.',
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

const SERVICE_LEVELS = group(
  'What viewers see, measured: by a synthetic viewer of the shares that are chosen in the console, and by viewers themselves. Changes need a restart.',
  {
    every: setting(
      types.duration('10s', '24h'),
      '5m',
      'How often the synthetic viewer plays each chosen share, from the beginning of a run to that of the next. Not longer than runTime means all the time, which keeps the camera open.',
    ),
    runTime: setting(
      types.duration('5s', '10m'),
      '30s',
      'How long the synthetic viewer plays, from the first picture on.',
    ),
    through: setting(
      types.choice('listener', 'public'),
      'listener',
      'Where the synthetic viewer plays: listener is the address of listen.media on this machine; public is public.mediaUrl, so that the proxy and the CDN in front are measured, too.',
    ),
    viewerReports: setting(
      types.flag,
      'false',
      'Whether viewer pages report how their own playback goes. Reports name no one, and pages whose browser asks for privacy (Do Not Track, Global Privacy Control) send none.',
    ),
    firstPictureWithin: setting(
      types.duration('100ms', '2m'),
      '1500ms',
      'Goal: how soon the first picture is there.',
    ),
    firstPictureGoal: setting(
      types.decimal(50, 100),
      '99',
      'Goal: of how many openings that has to hold, in percent.',
    ),
    delayWithin: setting(
      types.duration('100ms', '2m'),
      '3s',
      'Goal: how far pictures are behind live at most.',
    ),
    delayGoal: setting(
      types.decimal(50, 100),
      '99',
      'Goal: for how much of the time that has to hold, in percent.',
    ),
    stallsAtMost: setting(
      types.decimal(0, 50),
      '0.1',
      'Goal: for how much of the time the picture may be frozen, in percent.',
    ),
    errorsAtMost: setting(types.decimal(0, 50), '0.1', 'Goal: how many requests may fail, in percent.'),
  },
);

export const CONFIG_SCHEMA = group('', {
  listen: LISTEN,
  tls: TLS,
  h2c: H2C,
  proxyProtocol: PROXY_PROTOCOL,
  public: PUBLIC,
  security: SECURITY,
  console: CONSOLE,
  data: setting(
    types.path,
    './data',
    'Folder for the SQLite database and the secret key. Back up the whole folder.',
  ),
  redis: optional(
    types.credentialUrl('redis', 'rediss'),
    'in memory',
    'Redis database, for this gateway or its cluster alone, for counts of shares and viewers, and for limits of requests, guesses and openings; in a cluster, also for leases of cameras.',
    'redis://localhost:6379',
  ),
  database: optional(
    types.credentialUrl('postgres', 'postgresql'),
    'SQLite in the data folder',
    'PostgreSQL database for everything the API stores. The secret key stays in the data folder.',
    'postgres://sluice:secret@localhost/sluice',
  ),
  cluster: CLUSTER,
  bootstrap: BOOTSTRAP,
  demo: optional(
    types.flag,
    'only if there are no cameras',
    'Run a synthetic camera with a share link.',
    'true',
  ),
  hls: HLS,
  sources: SOURCES,
  rtsp: RTSP,
  rtmp: RTMP,
  ffmpeg: FFMPEG,
  cdn: CDN,
  cdnRotation: CDN_ROTATION,
  access: ACCESS,
  threads: THREADS,
  api: API,
  webhooks: WEBHOOKS,
  mail: MAIL,
  recording: RECORDING,
  s3: S3,
  uploads: UPLOADS,
  clips: CLIPS,
  evidence: EVIDENCE,
  retention: RETENTION,
  oidc: OIDC,
  signIn: SIGN_IN,
  metrics: METRICS,
  serviceLevels: SERVICE_LEVELS,
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
