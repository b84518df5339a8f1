/** What a viewer thread requests from the gateway's thread when a viewer sends many requests at the same time. */

import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../core/log.ts';
import type { MirroredCamera, MirroredCameras } from '../../mirror/mirrored-cameras.ts';
import { SessionLeases } from '../../sharing/session-leases.ts';
import { openSharingFixture, type SharingFixture } from '../../sharing/sharing-fixture.ts';
import { FakeRendition } from '../fake-live-camera.ts';
import { MediaResponses } from '../response/media-responses.ts';
import { ShareTraffic } from '../response/share-traffic.ts';
import { WaitingRoom } from '../response/waiting-reply.ts';
import { LeasedSessions } from './leased-sessions.ts';
import { type Desk, LiveRoutes } from './live-routes.ts';

/** As many waiting requests as one viewer may have. */
const AT_ONCE = 8;

let fixture: SharingFixture;
let app: FastifyInstance;
let here: LeasedSessions;
let leases: SessionLeases;
let room: WaitingRoom;
beforeEach(async () => {
  fixture = await openSharingFixture();
  const { clock } = fixture;
  here = new LeasedSessions(clock);
  leases = new SessionLeases({
    sessions: fixture.sessions,
    onSent: () => undefined,
    onEnded: (id, refusal) => here.end(id, refusal),
    onChanged: (id, sharesPaths) => here.change(id, sharesPaths),
  });
  const rendition = new FakeRendition('main');
  const camera: Pick<MirroredCamera, 'hasFed' | 'rendition' | 'touch'> = {
    hasFed: () => true,
    rendition: () => rendition as unknown as ReturnType<MirroredCamera['rendition']>,
    touch: () => undefined,
  };
  const desk: Desk = {
    async lease(grantText, origin) {
      const lease = leases.lease(grantText, origin);
      // The reply is a message: code that waits for it continues before the next message is handled.
      await new Promise(setImmediate);
      return lease;
    },
    follow: async () => true,
  };
  room = new WaitingRoom(clock);
  app = Fastify();
  new LiveRoutes({
    room,
    clock,
    desk,
    sessions: here,
    traffic: new ShareTraffic(),
    responses: new MediaResponses(clock, silentLog),
    cameras: { get: () => camera } as unknown as MirroredCameras,
    forward: (_request, reply) => void reply.code(502).send(),
  }).register(app);
});
afterEach(async () => {
  room.dismiss();
  await app.close();
  await fixture.close();
});

async function untilWaiting(count: number): Promise<void> {
  while (room.size < count) await new Promise(setImmediate);
}

it('a new viewer that asks for many things at once is one viewer, and revoked as one', async () => {
  const share = await fixture.shares.create(fixture.orgUuid, fixture.request);
  const grant = fixture.grants.issue(share.uuid, share.accessEpoch, fixture.clock.epochMs() / 1_000 + 86_400);
  const url = `/live/${grant}/file.m3u8?_HLS_msn=0&_HLS_part=0`;
  const responses = Array.from({ length: AT_ONCE }, () => app.inject(url));
  const ended = Promise.all(responses);
  await untilWaiting(AT_ONCE);
  expect([here.size, leases.size, fixture.sessions.size]).toEqual([1, 1, 1]);
  await fixture.shares.remove(fixture.orgUuid, share.uuid);
  expect((await ended).map(({ statusCode }) => statusCode)).toEqual(Array(AT_ONCE).fill(403));
  expect([here.size, leases.size, room.size]).toEqual([0, 0, 0]);
});
