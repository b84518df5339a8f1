/**
 * A client without a right to media requests it in every form, guesses, opens again and again, or continues after its
 * access was revoked.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { TestShare } from '../../../../test/support/gateway.ts';
import { openShare } from '../../../../test/support/hls.ts';
import { HOSTILE_PATHS, hostileGrants, hostileNames } from '../../../../test/support/hostile-requests.ts';
import { readPlaylistText } from '../../../../test/support/playlist-text.ts';
import { rawRequest } from '../../../../test/support/raw-http.ts';
import { type Abuse, deviations, few, type Ground, grantOf, holdsMedia } from '../abuse.ts';
import { abreast } from '../sockets.ts';

const group = 'access';
const NAMES = [
  'file.m3u8',
  'stream.m3u8',
  'index.m3u8',
  'seg_init.mp4',
  'poster.jpg',
  'status',
  'sub/file.m3u8',
];
const WIDTH = 8;
/** The published limit, plus the time of a request on a busy machine. */
const CUT_OFF_MS = 1_500;

/** Sentences for the paths that are not refused. */
async function allRefused({ gateway }: Ground, paths: readonly string[]): Promise<string[]> {
  const bad: string[] = [];
  await abreast(paths, WIDTH, async (path) => {
    const { status, body } = await rawRequest(gateway.mediaUrl, path);
    if (status < 400 || (status >= 500 && status !== 503) || holdsMedia(body))
      bad.push(`${path.slice(0, 90)}: ${status}`);
  });
  return few(bad);
}

/** Ways to write a path so that some parser takes it for another one. */
function disguises(path: string): string[] {
  const [, live, grant, name] = path.split('/') as [string, string, string, string];
  const everyByte = [...path.slice(1)]
    .map((letter) => (letter === '/' ? '/' : `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`))
    .join('');
  return [
    path,
    path.toUpperCase(),
    `/${live.toUpperCase()}/${grant}/${name}`,
    `/${live}/${grant}/${name.toUpperCase()}`,
    `/${live}/${grant.toLowerCase()}/${name}`,
    `/${everyByte}`,
    `/${everyByte.replaceAll('%', '%25')}`,
    `/%6cive/${grant}/${name}`,
    `/${live}%2f${grant}%2f${name}`,
    `/${live}%252f${grant}%252f${name}`,
    `/${live}//${grant}//${name}`,
    `//${live}/${grant}/${name}`,
    `/./${live}/./${grant}/./${name}`,
    `/x/../${live}/${grant}/${name}`,
    `/${live}/x/../${grant}/${name}`,
    `/${live}/${grant}/x/../${name}`,
    `/${live}/${grant}/%2e/${name}`,
    `/assets/../${live}/${grant}/${name}`,
    `/assets/%2e%2e/${live}/${grant}/${name}`,
    `/${live}/${grant};v=1/${name}`,
    `/${live};/${grant}/${name}`,
    `/${live}/${grant}/${name};jsessionid=1`,
    `/${live}/${grant}/${name}%00`,
    `/${live}/${grant}/${name}%20`,
    `/${live}/${grant}/${name}/`,
    `/${live}/${grant}/${name}.`,
    `/${live}/${grant}/${name}?password=&x=1`,
    `/${live}/${grant}/${name}#x`,
    `/${live}\\${grant}\\${name}`,
    `/${live}/${grant}%20/${name}`,
    `/${live}/${grant}%0a/${name}`,
    `/${live}/${grant}=/${name}`,
    `/${live}/${grant}==/${name}`,
    `http://127.0.0.1${path}`,
    `/share/${grant}/${name}`,
  ];
}

async function names({ playlistUrl }: Ground): Promise<string[]> {
  const { segments } = readPlaylistText(await (await fetch(playlistUrl)).text());
  const last = segments.at(-1)!;
  return [...NAMES, last.uri, `seg_${last.msn}.0.m4v`, `seg_${last.msn}.mp4`];
}

/** Every disguise of every name under a grant. */
async function allDisguisesRefused(ground: Ground, grant: string): Promise<string[]> {
  const all = await names(ground);
  return allRefused(
    ground,
    all.flatMap((name) => disguises(`/live/${grant}/${name}`)),
  );
}

async function withGrant(
  { gateway }: Ground,
  camera: string,
  fields: Record<string, unknown> = {},
): Promise<{ share: TestShare; grant: string; playlistUrl: string }> {
  const share = await gateway.share(camera, fields);
  const playlistUrl = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
  return { share, grant: grantOf(playlistUrl), playlistUrl };
}

/** Viewers of a share, each sending requests again and again; returns their responses from `CUT_OFF_MS` after `end` on. */
async function afterTheEnd(playlistUrl: string, end: () => Promise<unknown>): Promise<string[]> {
  const stop = new AbortController();
  let late = 0;
  let isOver = false;
  const view = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const response = await fetch(playlistUrl).catch(() => null);
      await response?.arrayBuffer().catch(() => undefined);
      if (isOver && response?.status === 200) late += 1;
      await delay(10);
    }
  };
  const viewers = Array.from({ length: 30 }, view);
  await delay(1_500);
  await end();
  await delay(CUT_OFF_MS);
  isOver = true;
  await delay(1_000);
  stop.abort();
  await Promise.all(viewers);
  const last = await fetch(playlistUrl);
  return deviations([
    [`${late} responses after the end`, late === 0],
    [`${last.status} in the end`, last.status === 403],
  ]);
}

const update = ({ gateway }: Ground, uuid: string, fields: Record<string, unknown>) =>
  gateway.call('camera/updateSharedLiveVideoStream', { uuid, ...fields });

const WHOLE_WEEK = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 10_079 }];

async function scheduleFlip(ground: Ground): Promise<string[]> {
  const { gateway } = ground;
  const schedule = { name: 'Abuse', intervalList: WHOLE_WEEK };
  const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', { schedule });
  const { share, playlistUrl } = await withGrant(ground, 'Good', { scheduleUuid });
  const bad: string[] = [];
  for (let flip = 0; flip < (ground.isShort ? 1 : 4); flip++) {
    const invert = (invertSchedule: boolean) =>
      update(ground, share.uuid, { invertSchedule, invertScheduleUpdated: true });
    bad.push(...(await afterTheEnd(playlistUrl, () => invert(true))));
    await invert(false);
    const again = await fetch(playlistUrl);
    if (again.status !== 200) bad.push(`${again.status} when shown again`);
  }
  await gateway.revoke(share);
  return bad;
}

async function viewersOf({ gateway }: Ground, { uuid }: TestShare): Promise<number> {
  const text = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
  const line = text
    .split('\n')
    .find((each) => each.startsWith('sluice_share_viewers') && each.includes(uuid));
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? 0);
}

/** One client that pretends to be many viewers. */
async function inflation(ground: Ground): Promise<string[]> {
  const { gateway, isShort } = ground;
  const share = await gateway.share('Good');
  await abreast(Array.from({ length: isShort ? 50 : 300 }), WIDTH, async () => {
    const playlistUrl = await openShare(share.m3u8Url).catch(() => null);
    if (playlistUrl !== null) await (await fetch(playlistUrl)).arrayBuffer();
  });
  const viewers = await viewersOf(ground, share);
  await gateway.revoke(share);
  return deviations([[`counted as ${viewers} viewers`, viewers <= 4]]);
}

async function openingFlood({ gateway, isShort }: Ground): Promise<string[]> {
  const share = await gateway.share('Good');
  const statuses = new Map<number, number>();
  await abreast(Array.from({ length: isShort ? 1_500 : 6_000 }), 30, async () => {
    const response = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
    await response.arrayBuffer();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  });
  await gateway.revoke(share);
  const odd = [...statuses.keys()].filter((status) => status !== 200 && status !== 429);
  return deviations([
    [`answers ${odd.join(', ')}`, odd.length === 0],
    ['none is refused', (statuses.get(429) ?? 0) > 0],
  ]);
}

/** `addresses`: claimed in X-Forwarded-For; the gateway must not trust it. */
async function guessing({ gateway }: Ground, addresses: readonly string[]): Promise<string[]> {
  const share = await gateway.share('Good', { password: 'right' });
  const guesses = Array.from({ length: 60 }, (_, guess) => guess);
  const statuses: number[] = [];
  await abreast(guesses, WIDTH, async (guess) => {
    const forwarded = addresses[guess % addresses.length];
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const response = await fetch(`${share.m3u8Url}?password=guess${guess}`, { headers });
    await response.arrayBuffer();
    statuses.push(response.status);
  });
  await gateway.revoke(share);
  const tried = statuses.filter((status) => status === 401).length;
  return deviations([
    [`${tried} guesses were tried`, tried <= 12],
    ['a guess was let in', !statuses.includes(200)],
  ]);
}

export const abuses: readonly Abuse[] = [
  {
    group,
    name: 'forged, foreign, cut off and expired grants',
    attack: (ground) => {
      const grants = Object.entries(hostileGrants(ground)).filter(([title]) => title !== 'a share token');
      return allRefused(
        ground,
        grants.flatMap(([, grant]) => NAMES.map((name) => `/live/${grant}/${name}`)),
      );
    },
  },
  {
    group,
    name: 'every bit of a grant flipped',
    attack: (ground) => {
      const bytes = Buffer.from(ground.grant, 'base64url');
      const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const copy = Buffer.from(bytes);
        copy[bit >> 3]! ^= 1 << (bit & 7);
        return `/live/${copy.toString('base64url')}/file.m3u8`;
      });
      return allRefused(ground, flipped);
    },
  },
  {
    group,
    name: 'names that are not media',
    attack: async (ground) => {
      const { segments } = readPlaylistText(await (await fetch(ground.playlistUrl)).text());
      const wrong = hostileNames(segments.at(-1)!.msn, ground.otherGrant);
      return allRefused(ground, [...wrong.map((name) => `/live/${ground.grant}/${name}`), ...HOSTILE_PATHS]);
    },
  },
  {
    group,
    name: 'a revoked grant in every disguise',
    attack: async (ground) => {
      const { share, grant } = await withGrant(ground, 'Good');
      await ground.gateway.revoke(share);
      return allDisguisesRefused(ground, grant);
    },
  },
  {
    group,
    name: 'a grant of an older password in every disguise',
    attack: async (ground) => {
      const { share, grant } = await withGrant(ground, 'Good');
      await update(ground, share.uuid, { password: 'new', passwordUpdated: true });
      const bad = await allDisguisesRefused(ground, grant);
      await ground.gateway.revoke(share);
      return bad;
    },
  },
  {
    group,
    name: 'a hidden share in every disguise',
    attack: async (ground) => {
      const { gateway } = ground;
      const schedule = { name: 'Hidden', intervalList: WHOLE_WEEK };
      const { scheduleUuid } = await gateway.call('schedule/createWeeklySchedule', { schedule });
      const { share, grant } = await withGrant(ground, 'Good', { scheduleUuid });
      await update(ground, share.uuid, { invertSchedule: true, invertScheduleUpdated: true });
      const bad = await allDisguisesRefused(ground, grant);
      await gateway.revoke(share);
      return bad;
    },
  },
  {
    group,
    name: 'no grant in every disguise',
    attack: (ground) => allDisguisesRefused(ground, 'x'),
  },
  {
    group,
    name: 'a share with a password, without it',
    attack: async (ground) => {
      const { gateway } = ground;
      const share = await gateway.share('Good', { password: 'right' });
      const path = new URL(share.m3u8Url).pathname;
      const tries = [
        '',
        '?password=',
        '?password=%00',
        '?password[]=right',
        '?Password=right',
        '?password=RIGHT',
        '?password=x&password=right%20',
      ];
      const bad = await allRefused(ground, [...disguises(path), ...tries.map((query) => path + query)]);
      await gateway.revoke(share);
      return bad;
    },
  },
  { group, name: 'guesses of a password', attack: (ground) => guessing(ground, []) },
  {
    group,
    name: 'guesses of a password from pretended addresses',
    attack: (ground) =>
      guessing(
        ground,
        Array.from({ length: 60 }, (_, index) => `203.0.113.${index}`),
      ),
  },
  { group, name: 'a flood of openings', attack: openingFlood },
  { group, name: 'one client as many viewers', attack: inflation },
  {
    group,
    name: 'revocation under load',
    attack: async (ground) => {
      const { share, playlistUrl } = await withGrant(ground, 'Good');
      return afterTheEnd(playlistUrl, () => ground.gateway.revoke(share));
    },
  },
  {
    group,
    name: 'expiration under load',
    attack: async (ground) => {
      const { playlistUrl } = await withGrant(ground, 'Good', { expirationTimeSecs: 4 });
      return afterTheEnd(playlistUrl, () => delay(4_000));
    },
  },
  {
    group,
    name: 'a new password under load',
    attack: async (ground) => {
      const { share, playlistUrl } = await withGrant(ground, 'Good');
      const bad = await afterTheEnd(playlistUrl, () =>
        update(ground, share.uuid, { password: 'new', passwordUpdated: true }),
      );
      await ground.gateway.revoke(share);
      return bad;
    },
  },
  { group, name: 'a schedule that flips under load', attack: scheduleFlip },
];
