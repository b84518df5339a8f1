import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Pool } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { JUDGED_AT_ONCE, LINK_WAIT_MS } from './link-waits.ts';

const HOUR_SEC = 3_600;
const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;

let door: FrontDoorFixture;
beforeEach(async () => {
  door = await openFrontDoorFixture();
});
afterEach(() => door.close());

const settle = () => new Promise(setImmediate);

/** Hidden for an hour. */
async function hidden(fields: object = {}): Promise<Share> {
  const intervals = [{ startSec: NOW_SEC + HOUR_SEC, stopSec: NOW_SEC + 2 * HOUR_SEC }];
  const request = { name: 'Later', oneTimeUse: true, intervals };
  const { uuid } = await door.sharing.schedules.createAbsolute(door.sharing.orgUuid, request);
  return door.share({ scheduleUuid: uuid, ...fields });
}

const waitUrl = (share: Share): string => `/share/${door.shareToken(share)}/wait`;

/** A wait, and the response when it has come. */
function wait(share: Share): { readonly ended: Promise<LightMyRequestResponse>; isOver: boolean } {
  const waiting = {
    isOver: false,
    ended: door.get(waitUrl(share)).then((response) => {
      waiting.isOver = true;
      return response;
    }),
  };
  return waiting;
}

function show(share: Share): Promise<unknown> {
  return door.sharing.shares.update(door.sharing.orgUuid, share.uuid, { scheduleUuid: null });
}

describe('a page that waits at a link', () => {
  it('which is hidden, learns when it is shown, and nothing else', async () => {
    const share = await hidden({ name: 'Secret dock' });
    const waiting = wait(share);
    await settle();
    expect(waiting.isOver).toBe(false);
    await show(share);
    const { statusCode, body, headers } = await waiting.ended;
    expect([statusCode, body, headers['cache-control']]).toEqual([204, '', 'no-store']);
    expect(door.camera.touches).toEqual([]);
  });

  it('with a password, then has to enter it', async () => {
    const share = await hidden({ password: 'open sesame' });
    const waiting = wait(share);
    await settle();
    await show(share);
    expect((await waiting.ended).statusCode).toBe(204);
    const url = `/share/${door.shareToken(share)}/open`;
    expect((await door.inject({ method: 'POST', url, payload: {} })).json()).toMatchObject({
      reason: 'password-needed',
    });
  });

  it('which has expired, learns when it is extended', async () => {
    const share = await door.share({ expirationTimeSecs: 10 });
    door.sharing.clock.advance(10_000);
    const waiting = wait(share);
    await settle();
    expect(waiting.isOver).toBe(false);
    await door.sharing.shares.update(door.sharing.orgUuid, share.uuid, { expirationTimeSecs: HOUR_SEC });
    expect((await waiting.ended).statusCode).toBe(204);
  });

  it('gets the usual refusal after a while, and when the schedule changes', async () => {
    const share = await hidden();
    const first = wait(share);
    await settle();
    door.sharing.clock.advance(LINK_WAIT_MS);
    expect((await first.ended).json()).toMatchObject({
      reason: 'hidden-by-schedule',
      until: FIXTURE_EPOCH_MS + HOUR_SEC * 1_000,
    });
    const second = wait(share);
    await settle();
    const { scheduleUuid: later } = await hidden();
    await door.sharing.shares.update(door.sharing.orgUuid, share.uuid, { scheduleUuid: later });
    await settle();
    expect(second.isOver).toBe(false);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    expect((await second.ended).json()).toMatchObject({ reason: 'revoked' });
  });

  it('which is open, or was never made, does not wait', async () => {
    expect((await door.get(waitUrl(await door.share()))).statusCode).toBe(204);
    expect((await door.get(waitUrl(await door.share({ password: 'open sesame' })))).statusCode).toBe(204);
    const unknown = await door.get(`/share/${'A'.repeat(43)}/wait`);
    expect([unknown.statusCode, unknown.json().reason]).toEqual([404, 'unknown']);
  });

  it('has room although all links of another organization are full of waiting pages', () => {
    const places = new Pool(LIMITS.linkWaits);
    const take = (organization: string, at: number) =>
      places.take({ organization, link: `${organization}${at % 40}`, address: `192.0.2.${at}` }).isTaken;
    const takeAll = (organization: string) => {
      let taken = 0;
      while (take(organization, taken)) taken++;
      return taken;
    };
    expect(takeAll('theirs')).toBeGreaterThan(10_000);
    expect(takeAll('own')).toBeGreaterThan(2_000);
  });

  it('is released with others in small groups', async () => {
    const share = await hidden();
    const waits = Array.from({ length: JUDGED_AT_ONCE + 1 }, () => wait(share));
    await settle();
    await show(share);
    await settle();
    const over = () => waits.filter(({ isOver }) => isOver).length;
    expect(over()).toBe(JUDGED_AT_ONCE);
    door.sharing.clock.advance(1_000);
    await Promise.all(waits.map(({ ended }) => ended));
  });

  it('from an address that has all of its places, is sent away, and another address waits', async () => {
    const share = await hidden();
    const from = (remoteAddress: string) =>
      door.inject({ method: 'GET', url: waitUrl(share), remoteAddress });
    const { max } = LIMITS.linkWaits.levels.address;
    const waits = Array.from({ length: max }, () => from('192.0.2.1'));
    await settle();
    const sentAway = await from('192.0.2.1');
    expect([sentAway.statusCode, sentAway.json().reason]).toEqual([403, 'hidden-by-schedule']);
    expect(sentAway.headers['retry-after']).toBe('30');
    const other = from('192.0.2.2');
    await settle();
    await show(share);
    await settle();
    door.sharing.clock.advance(1_000);
    expect((await other).statusCode).toBe(204);
    await Promise.all(waits);
  });

  it('ends with the gateway', async () => {
    const waiting = wait(await hidden());
    await settle();
    await door.app.close();
    expect((await waiting.ended).json()).toMatchObject({ reason: 'restarting' });
  });
});
