/** Requests for media by someone who must not get any: grants, names and paths that are refused. */

import { randomBytes } from 'node:crypto';
import type { Ruuid } from '../../src/core/ruuid.ts';
import { Grants } from '../../src/sharing/grant.ts';
import type { TestShare } from './gateway.ts';

/** Grants that open nothing, by their fault. */
export function hostileGrants(options: {
  readonly grant: string;
  readonly otherGrant: string;
  readonly share: TestShare;
  readonly signingKey: Buffer;
}): Record<string, string> {
  const { grant, otherGrant, share, signingKey } = options;
  const nowSec = Math.floor(Date.now() / 1_000);
  const uuid = share.uuid as Ruuid;
  const flipped = (at: number): string =>
    grant.slice(0, at) + (grant[at] === 'A' ? 'B' : 'A') + grant.slice(at + 1);
  const wrong: Record<string, string> = {
    'made with another key': new Grants(randomBytes(32)).issue(uuid, 0, nowSec + 3_600),
    expired: new Grants(signingKey).issue(uuid, 0, nowSec - 1),
    'of an older password': new Grants(signingKey).issue(uuid, 77, nowSec + 3_600),
    'of no share': new Grants(signingKey).issue('AAAAAAAAAAAAAAAAAAAAAA' as Ruuid, 0, nowSec + 3_600),
    "with the other's share": otherGrant.slice(0, 21) + grant.slice(21),
    "with the other's signature": grant.slice(0, 43) + otherGrant.slice(43),
    'too long': `${grant}A`,
    doubled: grant + grant,
    'other alphabet': `+/${grant.slice(2)}`,
    'a share token': new URL(share.pageUrl).pathname.split('/').at(-1)!,
    'the uuid of the share': share.uuid,
    'the uuid of the camera': share.cameraUuid,
    empty: '',
    nul: `%00${grant.slice(3)}`,
  };
  for (let length = 1; length < grant.length; length += 7) wrong[`${length} long`] = grant.slice(0, length);
  for (let at = 0; at < grant.length; at += 5) wrong[`bit ${at}`] = flipped(at);
  return wrong;
}

/** Names in a playlist's folder that are not media. `newest`: the number of an existing segment. */
export function hostileNames(newest: number, otherGrant: string): string[] {
  return [
    'seg_999999999.m4v',
    'seg_-1.m4v',
    `seg_0${newest}.m4v`,
    `seg_${newest}.m4s`,
    `seg_${newest}.m4v.bak`,
    `seg_${newest}.999.m4v`,
    `seg_${newest}..m4v`,
    'seg_1e3.m4v',
    'seg_9999999999999999999999.m4v',
    'seg_init_00000000.mp4',
    'seg_init_.mp4',
    'SEG_INIT.MP4',
    'seg_init.mp4%00.html',
    'file.mpd.m3u8',
    'FILE.M3U8',
    'constructor',
    '__proto__',
    'sub/file.m3u8',
    'sub/seg_init.mp4',
    '../../file.m3u8',
    `../${otherGrant.slice(0, -1)}x/file.m3u8`,
    '..%2f..%2f..%2fetc%2fpasswd',
    '%2e%2e/%2e%2e/etc/passwd',
    '..\\..\\file.m3u8',
    '%5c..%5cfile.m3u8',
    'file.m3u8%2f..%2fseg_init.mp4',
    'x%2ffile.m3u8',
    './././etc',
    '%',
    '%zz',
    '%c0%ae%c0%ae/',
    '%ff%fe',
    'a'.repeat(300),
    'a/'.repeat(2_000),
    `${'%41'.repeat(2_000)}`,
  ];
}

/** Paths on the media listener. */
export const HOSTILE_PATHS: readonly string[] = [
  '/../data/secret.key',
  '/assets/../../package.json',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '/live',
  '/live/',
  '/live//file.m3u8',
  '//live//',
  '/share',
  '/metrics',
  '/api/camera/getMinimalCameraStateList',
  `/${'x'.repeat(12_000)}`,
];
