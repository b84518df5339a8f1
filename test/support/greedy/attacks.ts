/** Attacks of an organization with its weakest credentials, by the rows of the registry that it tries to fill. */

import { setTimeout as pause } from 'node:timers/promises';
import type { LimitName } from '../../../src/core/limits/registry.ts';
import { newRuuid } from '../../../src/core/ruuid.ts';
import { type Answer, type Attacker, textFrame, upgradeTo } from './attack-ground.ts';

export interface Attack {
  readonly name: string;
  readonly rows: readonly LimitName[];
  /** Strikes once, and resolves with the result: a status, or a word. */
  readonly strike: (attacker: Attacker) => Promise<string>;
  /** How many at a time. */
  readonly width: number;
  /** How often it strikes before the other organization is looked at. */
  readonly least: number;
  /** Result that must occur at least once; otherwise the attack reaches nothing. */
  readonly lands: string;
}

const ROWS = 500;
const LONG_TEXT = 'x'.repeat(1_000);

const statusOf = async (response: Promise<Answer>) => String((await response).status);

export const ATTACKS: readonly Attack[] = [
  {
    name: 'wrong keys',
    rows: ['failedAuthentications'],
    strike: (by) => statusOf(by.post('/api/integrations/validateToken', {}, newRuuid())),
    width: 2,
    least: 60,
    lands: '401',
  },
  {
    name: 'wrong passwords',
    rows: ['failedSignIns', 'signIns', 'signInsOfStrangers'],
    strike: (by) =>
      statusOf(
        by.post('/api/console/signIn', { email: by.ground.victimEmail, password: 'wrong' }, '', 'console'),
      ),
    width: 2,
    least: 120,
    lands: '401',
  },
  {
    name: 'requests of a viewer key',
    rows: ['apiRequests'],
    strike: (by) => statusOf(by.post('/api/camera/getMinimalCameraStateList', {}, by.ground.viewerKey)),
    width: 2,
    least: 120,
    lands: '200',
  },
  {
    name: 'requests of a page',
    rows: ['apiRequests'],
    strike: (by) => {
      const { cameraUuids, sessionToken } = by.ground;
      const headers = {
        'content-type': 'application/json',
        'x-auth-scheme': 'federated-token',
        'x-auth-ft': sessionToken,
      };
      const body = JSON.stringify({ cameraUuid: cameraUuids[0] });
      return statusOf(by.send('api', '/api/camera/getMediaUris', { method: 'POST', headers, body }));
    },
    width: 1,
    least: 40,
    lands: '200',
  },
  {
    name: 'reports of a device, each of which calls a webhook that never answers',
    rows: [
      ...(['ingestRows', 'ingestBytes', 'events', 'auditWaiting', 'webhookCalls'] as const),
      ...(['openWebhookDeliveries', 'loggedWebhookDeliveries', 'idempotencyKeys'] as const),
    ],
    strike: (by) => {
      const { cameraUuids, locationUuid } = by.ground;
      const rows = Array.from({ length: ROWS }, (_, index) => ({
        uuid: newRuuid(),
        deviceUuid: cameraUuids[0],
        locationUuid,
        timestampMs: Date.now() + index,
        policyAlertTriggers: ['PANIC_BUTTON'],
        textDescription: LONG_TEXT,
      }));
      return statusOf(by.post('/api/ingest/policyAlerts', { rows }, by.ground.deviceKey, 'device'));
    },
    width: 1,
    least: 10,
    lands: '200',
  },
  {
    name: 'WebSockets that say nothing',
    rows: ['changeArrivals'],
    strike: async (by) => {
      const held = Array.from({ length: 50 }, () =>
        by.hold('api', upgradeTo('/websocket', by.ground.hosts.v4)),
      );
      const [first] = await Promise.all(held);
      return first!.heard.slice(9, 12);
    },
    width: 4,
    least: 40,
    lands: '101',
  },
  {
    name: 'listeners of a viewer key',
    rows: ['changeListeners'],
    strike: async (by) => {
      const { socket, heard } = await by.hold('api', upgradeTo('/websocket', by.ground.hosts.v4));
      if (!heard.startsWith('HTTP/1.1 101')) return heard.slice(9, 12);
      const { promise, resolve } = Promise.withResolvers<string>();
      socket.once('data', (chunk) => resolve(chunk.includes('CONNECTED') ? 'connected' : 'refused'));
      socket.once('close', () => resolve('ended'));
      socket.write(
        textFrame(
          `CONNECT\naccept-version:1.2\nhost:x\nx-auth-apikey:${by.ground.viewerKey}\nx-auth-scheme:api-token\n\n\0`,
        ),
      );
      return promise;
    },
    width: 4,
    least: 120,
    lands: 'connected',
  },
  {
    name: 'viewers of one link that wait for what is not there yet',
    rows: ['viewerSessions', 'waitingRequests', 'recentGrants', 'signedInViews'],
    strike: async (by) => {
      const grant = await openLink(by);
      if (!grant.startsWith('/')) return grant;
      const list = await by.send('media', `${grant}/file.m3u8`);
      // The one after that which is being made: further ones are refused.
      const msn = Number(/PRELOAD-HINT.*seg_(\d+)/.exec(list.body)?.[1] ?? 0) + 1;
      return statusOf(by.send('media', `${grant}/file.m3u8?_HLS_msn=${msn}`, { isUnread: true }));
    },
    width: 4,
    least: 60,
    lands: '200',
  },
  {
    name: 'WebSockets with video that nobody reads',
    rows: ['pictureSockets'],
    strike: async (by) => {
      const grant = await openLink(by);
      if (!grant.startsWith('/')) return grant;
      const { socket, heard } = await by.hold('media', upgradeTo(`${grant}/ws`, by.ground.hosts.v4));
      socket.pause();
      return heard.slice(9, 12);
    },
    width: 2,
    least: 30,
    lands: '101',
  },
  {
    name: 'uploads that are announced and not sent, or sent a byte at a time',
    rows: ['announcedUploads', 'uploadAnnouncements', 'sendingUploads', 'uploadBytes', 'clipImports'],
    strike: async (by) => {
      const { deviceKey, cameraUuids } = by.ground;
      const fields = {
        clipId: newRuuid(),
        cameraUuid: cameraUuids[0]!,
        timestampMs: String(Date.now() - 86_400_000),
        title: 'greedy',
        filetype: 'video/mp4',
      };
      const metadata = Object.entries(fields).map(
        ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
      );
      const headers = {
        'tus-resumable': '1.0.0',
        'x-auth-apikey': deviceKey,
        'x-auth-scheme': 'device',
        'upload-length': '8000000',
        'upload-metadata': metadata.join(','),
      };
      return statusOf(by.send('media', '/upload/clips', { method: 'POST', headers }));
    },
    width: 2,
    least: 60,
    lands: '201',
  },
  {
    name: 'images of all kinds, live and of the past',
    rows: ['imageCalls', 'stillPictures', 'heldStills'],
    strike: async (by) => {
      const { cameraUuids, viewerKey } = by.ground;
      const cameraUuid = cameraUuids[Math.floor(Math.random() * cameraUuids.length)];
      const timestampMs = Date.now() - Math.floor(Math.random() * 8_000);
      const body = { cameraUuid, timestampMs, downscaleFactor: 1 + Math.floor(Math.random() * 4) };
      return statusOf(by.post('/api/video/getExactFrameUri', body, viewerKey));
    },
    width: 2,
    least: 20,
    lands: '200',
  },
  {
    name: 'movies of the past that nobody reads',
    rows: ['pastRequests', 'pastBytes', 'recordingReads', 'recordingReadBytes', 'rangeMovies'],
    strike: async (by) => {
      const grant = await openLink(by);
      if (!grant.startsWith('/')) return grant;
      const startSec = Math.floor(Date.now() / 1_000) - 30;
      return statusOf(by.send('media', `${grant}/vod/${startSec}/20/clip.mp4`, { isUnread: true }));
    },
    width: 2,
    least: 30,
    lands: '200',
  },
];

/** The folder of a new viewer, or why there is none. */
async function openLink(by: Attacker): Promise<string> {
  const { status, body } = await by.send('media', by.ground.sharePath);
  const grant = /\.\.\/([\w-]{40,})\//.exec(body)?.[1];
  return grant === undefined ? String(status) : `/live/${grant}`;
}

/** Results of each attack. */
export type Tally = Record<string, Record<string, number>>;

/** All at the same time, until the signal aborts. */
export async function attackAll(by: Attacker, tally: Tally): Promise<void> {
  const strikes = ATTACKS.flatMap((attack) => Array.from({ length: attack.width }, () => attack));
  await Promise.all(
    strikes.map(async ({ name, strike }) => {
      const counts = tally[name] ?? {};
      tally[name] = counts;
      while (!by.signal.aborted) {
        const outcome = await strike(by);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        // Another process needs the processor as well: holding is what this is about.
        await pause(5);
      }
    }),
  );
}
