/** Requirements across values: names that exist and are unique, and times that fit each other. */

import { MIN_LISTED_LIFE_MS, neededLifeMs } from '../../stream/window/shared-paths.ts';
import type { Reject } from './errors.ts';
import type { Config } from './schema.ts';
import type { KeptTimes } from './value-types.ts';

/**
 * `unread`: keys whose values could not be read, and are null here or absent. Their consequences are not separate
 * problems.
 */
export function checkConfig(config: Partial<Config>, reject: Reject, unread: readonly string[] = []): void {
  const { locations = [], nvrs = [], cameras = [], hls, sources, bootstrap, database } = config;
  checkUnique('locations', locations, reject);
  checkUnique('nvrs', nvrs, reject);
  checkUnique('cameras', cameras, reject);
  checkReferences({ locations, nvrs, cameras }, reject, unread);
  if (hls !== undefined && sources !== undefined) checkTimes(hls, sources, reject);
  if (config.cdn === true && hls !== undefined) checkRotation(config.cdnRotationMs, hls, reject);
  cameras.forEach(({ recording, recordingSchedule }, i) => {
    const isUnread = unread.includes(`cameras[${i}].recordingSchedule`);
    if (recording === 'schedule' && recordingSchedule === null && !isUnread) {
      reject(`cameras[${i}].recording`, 'schedule needs recordingSchedule, such as "Mon-Fri 08:00-18:00"');
    }
  });
  checkMainStreams(cameras, reject, unread);
  checkPlayback(nvrs, cameras, reject);
  checkS3(config.s3, reject, unread);
  checkKeptTimes(config, reject);
  checkTiers(config, reject, unread);
  checkOidc(config.oidc, reject, unread);
  checkSecurity(config.security, reject, unread);
  checkMail(config.mail, reject, unread);
  checkListeners(config, reject, unread);
  checkRtsp(config, reject, unread);
  checkAcme(config.tls, reject, unread);
  checkCluster(config, reject, unread);
  const { apiKey = null, partnerApiKey = null } = bootstrap ?? {};
  if (apiKey !== null && apiKey.reveal() === partnerApiKey?.reveal()) {
    reject('bootstrap.partnerApiKey', 'must differ from bootstrap.apiKey');
  }
  // A password after the question mark is not user info, and logs would show it.
  if (database && new URL(database.reveal()).searchParams.has('password')) {
    reject('database', 'put the password before the @, as in postgres://user:password@host/name');
  }
}

/** Each camera is either opened by RTSP or pushed by RTMP, with a key of its own. */
function checkMainStreams(cameras: Config['cameras'], reject: Reject, unread: readonly string[]): void {
  const firstWith = new Map<string, number>();
  cameras.forEach(({ rtsp, publishKey }, i) => {
    const key = `cameras[${i}]`;
    if (unread.some((name) => name === key || name === `${key}.rtsp` || name === `${key}.publishKey`)) return;
    if (rtsp === null && publishKey === null) {
      reject(key, 'needs rtsp, a URL that starts with rtsp:// or rtsps://, or publishKey');
    } else if (rtsp !== null && publishKey !== null) {
      reject(`${key}.publishKey`, 'a camera has rtsp or publishKey, not both');
    }
    if (publishKey === null) return;
    const first = firstWith.get(publishKey.reveal());
    if (first === undefined) firstWith.set(publishKey.reveal(), i);
    else reject(`${key}.publishKey`, `is already the publishKey of cameras[${first}]`);
  });
}

/** Half of the credentials would silently be replaced by those of the environment. */
function checkS3(s3: Partial<Config['s3']> | undefined, reject: Reject, unread: readonly string[]): void {
  if (unread.some((key) => key.startsWith('s3.'))) return;
  const { accessKeyId = null, secretAccessKey = null } = s3 ?? {};
  if (accessKeyId !== null && secretAccessKey === null) {
    reject('s3.secretAccessKey', 'is required with s3.accessKeyId');
  }
  if (accessKeyId === null && secretAccessKey !== null) {
    reject('s3.accessKeyId', 'is required with s3.secretAccessKey');
  }
}

/** Key frames are what is left when the rest is deleted. */
function checkKeptTimes({ recording, cameras = [] }: Partial<Config>, reject: Reject): void {
  const check = (key: string, times: KeptTimes | null | undefined): void => {
    const { mainMs = 0, subMs = 0, keyFramesMs = null } = times ?? {};
    if (keyFramesMs === null || keyFramesMs > Math.max(mainMs, subMs)) return;
    reject(key, 'keyFrames must be longer than main and sub');
  };
  check('recording.keep', recording?.keep);
  for (const [i, { recordingKeep }] of cameras.entries()) check(`cameras[${i}].recordingKeep`, recordingKeep);
}

/** What is never deleted from the disk would fill it, and what is deleted before it moves never reaches S3. */
function checkTiers(
  { recording, s3, cluster }: Partial<Config>,
  reject: Reject,
  unread: readonly string[],
): void {
  const localMs = recording?.tiers?.localMs ?? null;
  if (localMs === null) return;
  if ((s3?.bucket ?? null) === null && !unread.some((key) => key.startsWith('s3'))) {
    reject('recording.tiers.local', 'needs s3.bucket, where recordings move');
  }
  if (recording !== undefined && Math.min(recording.keep.mainMs, recording.keep.subMs) <= localMs) {
    reject('recording.tiers.local', 'must be shorter than recording.keep');
  }
  // One node deletes the recordings of all, and does not reach the disks of the others.
  if (cluster !== undefined && cluster.secret !== null) {
    reject('recording.tiers.local', 'is not for the nodes of a cluster: leave it out');
  }
}

function checkListeners(
  { tls, h2c, proxyProtocol, trustProxy }: Partial<Config>,
  reject: Reject,
  unread: readonly string[],
): void {
  for (const listener of ['api', 'media'] as const) {
    const { cert = null, key = null, acme = false } = tls?.[listener] ?? {};
    if (!unread.some((name) => name.startsWith(`tls.${listener}`))) {
      if (cert !== null && key === null)
        reject(`tls.${listener}.key`, `is required with tls.${listener}.cert`);
      if (cert === null && key !== null)
        reject(`tls.${listener}.cert`, `is required with tls.${listener}.key`);
      if (acme && (cert !== null || key !== null))
        reject(`tls.${listener}.acme`, `cannot be combined with tls.${listener}.cert and key: choose one`);
    }
    if ((cert !== null || acme) && h2c?.[listener]) {
      reject(`h2c.${listener}`, `has no meaning with tls.${listener}: the port speaks TLS`);
    }
    if (proxyProtocol?.[listener] && trustProxy?.length === 0) {
      reject(`proxyProtocol.${listener}`, 'needs trustProxy, with the addresses of the proxies');
    }
  }
}

function checkRtsp({ rtsp, tls }: Partial<Config>, reject: Reject, unread: readonly string[]): void {
  if (rtsp !== undefined && rtsp.udpPort !== null) {
    if (rtsp.udpPort % 2 !== 0) reject('rtsp.udpPort', 'must be even: the next port is that of RTCP');
    if (rtsp.listen === null) reject('rtsp.udpPort', 'needs rtsp.listen');
  }
  if (rtsp === undefined || rtsp.secureListen === null || tls?.media === undefined) return;
  if (unread.some((name) => name.startsWith('tls.media'))) return;
  const { cert, acme } = tls.media;
  if (cert === null && !acme) reject('rtsp.secureListen', 'needs the certificate of tls.media');
}

function checkAcme(tls: Partial<Config['tls']> | undefined, reject: Reject, unread: readonly string[]): void {
  if (tls?.acme === undefined || unread.some((key) => key.startsWith('tls.'))) return;
  const { domains, termsAgreed } = tls.acme;
  if (tls.media?.acme || tls.api?.acme) {
    const listener = tls.media?.acme ? 'media' : 'api';
    if (domains.length === 0) reject('tls.acme.domains', `is required with tls.${listener}.acme`);
    if (!termsAgreed) {
      reject(
        'tls.acme.termsAgreed',
        `must be true with tls.${listener}.acme: read the terms of the ACME server`,
      );
    }
    const twice = domains.find((domain, index) => domains.indexOf(domain) < index);
    if (twice !== undefined) reject('tls.acme.domains', `has ${twice} twice`);
    if (domains.length > MAX_ACME_DOMAINS) {
      reject('tls.acme.domains', `has more than the ${MAX_ACME_DOMAINS} names that a certificate can have`);
    }
  } else if (domains.length > 0) {
    reject(
      'tls.acme.domains',
      'has no effect without tls.media.acme or tls.api.acme: set one of them to true',
    );
  }
}

/** As many as Let's Encrypt accepts. */
const MAX_ACME_DOMAINS = 100;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const DOMAIN = /^[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

function checkOidc(oidc: Config['oidc'] | undefined, reject: Reject, unread: readonly string[]): void {
  if (oidc === undefined || unread.some((key) => key.startsWith('oidc.'))) return;
  const { issuer, clientId, clientSecret, scopes, allowedDomains } = oidc;
  const values = [...oidc.adminValues, ...oidc.operatorValues, ...oidc.viewerValues];
  if (issuer !== null) {
    if (clientId === null) reject('oidc.clientId', 'is required with oidc.issuer');
    if (clientSecret === null) reject('oidc.clientSecret', 'is required with oidc.issuer');
    const url = new URL(issuer);
    if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname)) {
      reject('oidc.issuer', 'must start with https://, except on this machine');
    }
    if (url.search !== '' || url.username !== '' || url.password !== '') {
      reject('oidc.issuer', 'must not have a query or a user');
    }
  } else if (clientId !== null || clientSecret !== null || values.length > 0 || allowedDomains.length > 0) {
    reject('oidc.issuer', 'is required for single sign-on');
  }
  if (!scopes.includes('openid')) reject('oidc.scopes', 'must contain openid');
  for (const domain of allowedDomains) {
    if (!DOMAIN.test(domain))
      reject('oidc.allowedDomains', `"${domain}" is not a domain such as example.com`);
  }
}

function checkSecurity(
  security: Config['security'] | undefined,
  reject: Reject,
  unread: readonly string[],
): void {
  if (security === undefined || unread.some((key) => key.startsWith('security.'))) return;
  const { contact, expiresEpochMs } = security;
  if (contact.length > 0 && expiresEpochMs === null) {
    reject('security.expires', 'is required with security.contact');
  }
}

/** An NVR whose recordings are shown has an RTSP server that we know. */
function checkPlayback(nvrs: Config['nvrs'], cameras: Config['cameras'], reject: Reject): void {
  nvrs.forEach(({ name, playback, playbackRtsp }, i) => {
    if (typeof playback !== 'string' || playbackRtsp !== null) return;
    const without = cameras.findIndex(
      ({ nvr, rtsp, publishKey }) =>
        nvr === name && (publishKey !== null || (rtsp !== null && !/^rtsps?:$/.test(rtsp.protocol))),
    );
    if (without < 0) return;
    reject(`nvrs[${i}].playbackRtsp`, `is needed, because cameras[${without}] has no rtsp:// URL of the NVR`);
  });
}

interface NamedRecord {
  readonly name: string;
  readonly uuid: string | null;
}

function checkUnique(list: string, records: readonly NamedRecord[], reject: Reject): void {
  for (const field of ['name', 'uuid'] as const) {
    const firstWith = new Map<string, number>();
    records.forEach((record, i) => {
      const value = record[field];
      if (value === null || value === undefined) return;
      const first = firstWith.get(value);
      if (first === undefined) firstWith.set(value, i);
      else reject(`${list}[${i}].${field}`, `"${value}" is already the ${field} of ${list}[${first}]`);
    });
  }
}

/** A list with an entry whose name cannot be read may well declare the missing one. */
function checkReferences(
  config: Pick<Config, 'locations' | 'nvrs' | 'cameras'>,
  reject: Reject,
  unread: readonly string[],
): void {
  const namesOf = (list: 'locations' | 'nvrs'): ReadonlySet<string> | null => {
    const isUnread = unread.some((key) => key === list || isRecordOrName(key, list));
    return isUnread ? null : new Set(config[list].map(({ name }) => name));
  };
  const locations = namesOf('locations');
  const nvrs = namesOf('nvrs');
  const check = (
    key: string,
    name: string | null | undefined,
    names: ReadonlySet<string> | null,
    kind: string,
  ) => {
    if (typeof name === 'string' && names !== null && !names.has(name))
      reject(key, `unknown ${kind} "${name}"${listed(names)}`);
  };
  config.nvrs.forEach((nvr, i) => {
    check(`nvrs[${i}].location`, nvr.location, locations, 'location');
  });
  config.cameras.forEach((camera, i) => {
    check(`cameras[${i}].location`, camera.location, locations, 'location');
    check(`cameras[${i}].nvr`, camera.nvr, nvrs, 'NVR');
  });
}

const MAX_LISTED_NAMES = 8;

function listed(names: ReadonlySet<string>): string {
  if (names.size === 0) return '; the file declares none';
  const some = [...names].slice(0, MAX_LISTED_NAMES).join(', ');
  return `; declared: ${some}${names.size > MAX_LISTED_NAMES ? ', …' : ''}`;
}

/** `locations[3]` or `locations[3].name`. */
function isRecordOrName(key: string, list: string): boolean {
  return key.startsWith(`${list}[`) && (key.endsWith(']') || key.endsWith('].name'));
}

function checkTimes(hls: Config['hls'], sources: Config['sources'], reject: Reject): void {
  if (isLess(sources.backoffMaxMs, sources.backoffMinMs)) {
    reject('sources.backoffMax', 'must not be shorter than sources.backoffMin');
  }
  if (isLess(hls.segmentTargetMs, hls.partTargetMs)) {
    reject('hls.partTarget', 'must not be longer than hls.segmentTarget');
  }
  // RFC 8216 §6.2.2: a live playlist lists at least three target durations.
  if (isLess(hls.windowMs, 3 * hls.segmentTargetMs)) {
    reject('hls.window', 'must be at least three times hls.segmentTarget');
  }
}

/** Playlists list no segment whose path ends soon: they would be shorter than `hls.window` says. */
function checkRotation(rotationMs: number | undefined, hls: Config['hls'], reject: Reject): void {
  const { windowMs, segmentTargetMs } = hls;
  if (typeof windowMs !== 'number' || typeof segmentTargetMs !== 'number') return;
  const targetDurationSec = Math.max(1, Math.round(segmentTargetMs / 1_000));
  const listedMs = windowMs + 2 * segmentTargetMs + MIN_LISTED_LIFE_MS;
  const neededMs = Math.max(listedMs, neededLifeMs(targetDurationSec));
  if (!isLess(rotationMs, neededMs)) return;
  reject(
    'cdnRotation',
    `must be at least ${Math.ceil(neededMs / 1_000)}s with hls.window and hls.segmentTarget as they are`,
  );
}

/** Never for a value that could not be read, which is null or absent. */
function isLess(value: number | null | undefined, than: number | null | undefined): boolean {
  return typeof value === 'number' && typeof than === 'number' && value < than;
}

/** Other nodes cannot connect to an address that stands for all of a machine's. */
const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0']);

/** Requirements of a cluster. `unread`: keys whose values could not be read. */
function checkCluster(config: Partial<Config>, reject: Reject, unread: readonly string[]): void {
  const { cluster, redis, database } = config;
  if (cluster === undefined || unread.some((key) => key === 'cluster' || key.startsWith('cluster.'))) return;
  const { secret, name, nodeId, internal } = cluster;
  if (secret === null) {
    const others = [name, nodeId, internal.listen, internal.address];
    if (others.some((value) => value !== null)) {
      reject('cluster.secret', 'is required for a cluster: all nodes have the same one');
    }
    return;
  }
  if (redis === null && !unread.includes('redis')) {
    reject('redis', 'is required with cluster.secret: the nodes of a cluster share a Redis');
  }
  if (database === null && !unread.includes('database')) {
    reject('database', 'is required with cluster.secret: the nodes of a cluster share a PostgreSQL database');
  }
  if (internal.address === null && internal.listen !== null && ALL_ADDRESSES.has(internal.listen.host)) {
    reject(
      'cluster.internal.address',
      `is required with cluster.internal.listen on ${internal.listen.host}: other nodes need an address of this one`,
    );
  }
}

/** `unread`: keys whose values could not be read. */
function checkMail(mail: Config['mail'] | undefined, reject: Reject, unread: readonly string[]): void {
  if (mail === undefined || unread.some((key) => key.startsWith('mail.'))) return;
  const { host, from, user, password, oauth } = mail;
  if (host === null) {
    const others = [from, user, password, oauth.tokenUrl];
    if (others.some((value) => value !== null)) reject('mail.host', 'is required to send mail');
    return;
  }
  if (from === null) reject('mail.from', 'is required with mail.host');
  if (oauth.tokenUrl !== null) {
    if (oauth.clientId === null) reject('mail.oauth.clientId', 'is required with mail.oauth.tokenUrl');
    if (oauth.clientSecret === null)
      reject('mail.oauth.clientSecret', 'is required with mail.oauth.tokenUrl');
    if (user === null) reject('mail.user', 'is required with mail.oauth.tokenUrl');
    return;
  }
  if (user !== null && password === null) reject('mail.password', 'is required with mail.user');
  if (user === null && password !== null) reject('mail.user', 'is required with mail.password');
}
