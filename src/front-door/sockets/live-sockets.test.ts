import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { pictureOf } from '../../stream/pictures/picture-fixture.ts';
import { FakeLiveCamera, FakeLiveCameras } from '../fake-live-camera.ts';
import { PictureMessages } from '../pictures/picture-message.ts';
import { PictureSender } from '../pictures/picture-sender.ts';
import { LiveSockets } from './live-sockets.ts';

let clock: FakeClock;
let camera: FakeLiveCamera;
let sockets: LiveSockets;
let refusal: 'revoked' | 'throws' | null;
let log: string[];
let fetches: number;

beforeEach(() => {
  clock = new FakeClock();
  camera = new FakeLiveCamera(newRuuid());
  refusal = null;
  log = [];
  fetches = 0;
  sockets = openSockets('pictureSockets');
});

function openSockets(limit: 'pictureSockets' | 'soundSockets', cameras = new FakeLiveCameras()): LiveSockets {
  cameras.add(camera);
  return new LiveSockets({
    limit: LIMITS[limit],
    interestOf: ({ audience }) => audience,
    clock,
    cameras,
    sessions: {
      access: () => {
        if (refusal === 'throws') throw new GatewayError({ code: 'X', kind: 'unavailable', message: '' });
        return refusal === null
          ? ({ allowed: true } as ViewerSession)
          : { allowed: false, reason: refusal, untilEpochMs: null };
      },
    },
    onSent: () => undefined,
  });
}

function newSession(orgUuid = newRuuid(), audienceUuid = newRuuid()): ViewerSession {
  const session = { waiting: new Set(), cameraUuid: camera.uuid, audience: 'silent', grantText: newRuuid() };
  const link = { orgUuid, audienceUuid, wallShareUuid: null };
  return { ...session, ...link, noteFetch: () => void fetches++ } as unknown as ViewerSession;
}

function open(session = newSession(), address = '192.0.2.1') {
  sockets.checkRoom(session, address);
  const feed = new PictureSender(camera.mainPictures, new PictureMessages());
  return sockets.open(session, address, feed, {
    send: () => undefined,
    say: () => undefined,
    bufferedBytes: () => 0,
    ping: () => void log.push('ping'),
    close: (code, reason) => void log.push(`close ${code} ${reason}`),
    reset: () => void log.push('reset'),
  });
}

describe('viewers of access units', () => {
  it('are limited per viewer and per address, until one leaves', () => {
    const { viewer, address } = LIMITS.pictureSockets.levels;
    const session = newSession();
    const first = open(session);
    for (let count = 1; count < viewer.max; count++) open(session);
    expect(() => open(session)).toThrow('Too many real-time viewers');
    first.lost();
    open(session);
    for (let count = sockets.size; count < address.max; count++) open();
    expect(() => open()).toThrow('Too many real-time viewers');
    open(newSession(), '203.0.113.1');
  });

  it.each(['pictureSockets', 'soundSockets'] as const)(
    'of one link leave room for other links, and those of one organization for others: %s',
    (limit) => {
      sockets = openSockets(limit);
      const [greedy, modest] = [newRuuid(), newRuuid()];
      let host = 0;
      const openAll = (session: () => ViewerSession) => {
        for (let count = 0; ; count++, host++) {
          try {
            open(session(), `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`);
          } catch (error) {
            expect(error).toMatchObject({ code: 'TOO_MANY_SOCKETS' });
            return count;
          }
        }
      };
      const link = newRuuid();
      const { total } = LIMITS[limit];
      expect(openAll(() => newSession(greedy, link))).toBe((total * 9) / 16);
      expect(openAll(() => newSession(greedy))).toBe((total * 3) / 16);
      const ofOther = newRuuid();
      for (let count = 0; count < 1_000; count++)
        open(newSession(modest, ofOther), `203.0.113.${count & 255}`);
    },
  );

  it('of an IPv6 network count together', () => {
    for (let count = 0; count < LIMITS.pictureSockets.levels.address.max; count++) {
      open(newSession(), `2001:db8::${count.toString(16)}`);
    }
    expect(() => open(newSession(), '2001:db8::ffff')).toThrow('Too many real-time viewers');
    open(newSession(), '2001:db8:0:1::1');
  });

  it('are looked at once a second, spread over it, as if they had sent a request', () => {
    for (let count = 0; count < 20; count++) open();
    camera.mainPictures.publish(pictureOf(0, true));
    const pingsPerTick: number[] = [];
    for (let tick = 0; tick < 10; tick++) {
      log.length = 0;
      clock.advance(100);
      pingsPerTick.push(log.length);
    }
    expect(pingsPerTick).toEqual(Array.from({ length: 10 }, () => 2));
    expect([camera.touches.length, fetches]).toEqual([20, 20]);
  });

  it('leave nothing behind: no timer, no seat', () => {
    open().lost();
    clock.advance(1_000);
    expect([sockets.size, clock.pendingTimers, camera.mainPictures.readers.size]).toEqual([0, 0, 0]);
  });

  it('end when their access is found to be over', () => {
    open();
    refusal = 'revoked';
    clock.advance(1_000);
    expect([log.includes('close 1008 revoked'), sockets.size]).toEqual([true, 0]);
  });

  it('end when their access cannot be found out', () => {
    open();
    refusal = 'throws';
    clock.advance(1_000);
    expect([log.some((line) => line.startsWith('close 1013')), sockets.size]).toEqual([true, 0]);
  });

  it('are told that the gateway stops; there is no room afterwards', () => {
    open();
    open();
    sockets.dismiss();
    expect(log).toEqual(['close 1001 restarting', 'close 1001 restarting']);
    expect(() => open()).toThrow('shutting down');
  });
});
