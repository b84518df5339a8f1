/** A database that takes requests and answers none holds up no end of access: after two seconds, it ends without it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { UNSTORED_RETRY_MS } from '../../sharing/unstored-ends.ts';
import { BRIEF_WAIT_MS } from '../../store/brief-waits.ts';
import { UnresponsiveStore } from '../../store/unresponsive-store-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const UPDATE = '/api/camera/updateSharedLiveVideoStream';
const DELETE = '/api/camera/deleteSharedLiveVideoStream';
const IN_FORCE = 'This is in force, and will be stored as soon as the database can be reached.';

let fixture: ApiFixture;
let unresponsive: UnresponsiveStore;
let shareUuid: Ruuid;
let scheduleUuid: Ruuid;

beforeEach(async () => {
  unresponsive = new UnresponsiveStore();
  fixture = await openApiFixture({ onStore: (store) => unresponsive.standBefore(store) });
  shareUuid = await create();
  const weekly = await fixture.call('/api/schedule/createWeeklySchedule', {
    schedule: { name: 'Never', intervalList: [] },
  });
  scheduleUuid = weekly.scheduleUuid as Ruuid;
});
afterEach(async () => {
  unresponsive.become('working');
  await fixture.close();
});

async function create(fields: object = {}): Promise<Ruuid> {
  const response = await fixture.call(CREATE, { cameraUuid: fixture.own.camera.uuid, ...fields });
  return response.sharedLiveVideoStreamUuid as Ruuid;
}

/** Hangs the store from now on; credentials were seen a while ago. */
function hang(): void {
  unresponsive.become('hung');
  fixture.clock.advance(60_000);
}

const watch = (uuid = shareUuid) => fixture.watch(uuid, { ip: '192.0.2.1' }).grantText;
const stored = () => fixture.store.shares.find(fixture.own.organization.uuid, shareUuid);

/** Whatever is in the audit trail about the share, apart from its creation. */
async function auditRows(action: string): Promise<number> {
  await fixture.audit.settled();
  const feed = await fixture.call('/api/report/getAuditFeed', { timestampMsAfter: 0 });
  return (feed.auditEvents as { action: string }[]).filter((row) => row.action === action).length;
}

interface Responded {
  readonly answer: Answer;
  /** How long the clock ran until the response came. */
  readonly tookMs: number;
}

/** Lets the clock run for the longest wait for the database, if a call waits for it. */
async function responded(...calls: readonly [path: string, body: object][]): Promise<Responded[]> {
  const startMonoMs = fixture.clock.monoMs();
  const waitingBefore = unresponsive.waiting;
  const responses: Responded[] = [];
  for (const [path, body] of calls) {
    void fixture.post(path, body).then((response) => {
      responses.push({ answer: response.json<Answer>(), tookMs: fixture.clock.monoMs() - startMonoMs });
    });
  }
  // Hashing a password takes none of the clock's time: it runs when all that can be done is done.
  await eventually('every call has its response, or waits for the database', () => {
    return responses.length + unresponsive.waiting - waitingBefore >= calls.length;
  });
  if (responses.length < calls.length) fixture.clock.advance(BRIEF_WAIT_MS);
  await eventually('every call has its response', () => responses.length === calls.length);
  return responses;
}

async function works(): Promise<void> {
  unresponsive.become('working');
  await eventually('all ends are stored', () => {
    fixture.clock.advance(UNSTORED_RETRY_MS);
    return fixture.ends.size === 0;
  });
}

describe('while the database hangs', () => {
  it.each([
    ['a link that is deleted', DELETE, () => ({ uuid: shareUuid }), 'revoked'],
    ['with its camera', DELETE, () => ({ uuid: shareUuid, cameraUuid: fixture.own.camera.uuid }), 'revoked'],
    [
      'a link that gets a password',
      UPDATE,
      () => ({ uuid: shareUuid, password: 'correct horse', passwordUpdated: true }),
      'password-needed',
    ],
    [
      'a link that gets a schedule',
      UPDATE,
      () => ({ uuid: shareUuid, scheduleUuid, scheduleUuidUpdated: true }),
      'hidden-by-schedule',
    ],
  ])('access ends within two seconds: %s', async (_what, path, body, reason) => {
    const grant = watch();
    hang();
    const [{ answer, tookMs }] = (await responded([path, body()])) as [Responded];
    expect([answer.error, answer.errorMsg, answer.warningMsg]).toEqual([false, undefined, IN_FORCE]);
    expect(tookMs).toBeLessThanOrEqual(BRIEF_WAIT_MS);
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason });
    await works();
    expect(fixture.viewers.access(grant)).toMatchObject({ allowed: false, reason });
  });

  it('fifty ends do not wait for one another, in one call or in many', async () => {
    const uuids = await Promise.all(Array.from({ length: 50 }, () => create()));
    const bulk = { sharedLiveVideoStreamUuids: uuids.slice(25), action: 'DELETE' };
    hang();
    const responses = await responded(
      ...uuids.slice(0, 25).map((uuid): [string, object] => [DELETE, { uuid }]),
      ['/api/camera/bulkUpdateSharedStreams', bulk],
    );
    expect(responses.map(({ answer }) => answer.warningMsg)).toEqual(responses.map(() => IN_FORCE));
    expect(Math.max(...responses.map(({ tookMs }) => tookMs))).toBeLessThanOrEqual(BRIEF_WAIT_MS);
    expect(fixture.ends.size).toBe(50);
    const [next] = await responded([DELETE, { uuid: shareUuid }]);
    expect(next).toMatchObject({ tookMs: 0, answer: { warningMsg: IN_FORCE } });
    await works();
    expect(await fixture.store.shares.list(fixture.own.organization.uuid)).toEqual([]);
    expect(await auditRows('SHARED_LIVE_VIDEO_STREAM_DELETE')).toBe(51);
  });

  it('a key ends', async () => {
    const text = await addApiKey(fixture.store, fixture.own.organization.uuid, { name: 'Leaked' });
    const { apiTokens } = await fixture.call('/api/integrations/org/getApiTokens');
    const leaked = (apiTokens as { tokenUuid: Ruuid; displayName: string }[]).find(
      ({ displayName }) => displayName === 'Leaked',
    )!;
    await fixture.call('/api/camera/findSharedStreams', {}, { 'x-auth-apikey': text });
    hang();
    const [{ answer, tookMs }] = (await responded([
      '/api/integrations/org/revokeApiToken',
      { tokenUuid: leaked.tokenUuid },
    ])) as [Responded];
    expect([answer.warningMsg, tookMs <= BRIEF_WAIT_MS]).toEqual([IN_FORCE, true]);
    const refused = await fixture.post(DELETE, { uuid: shareUuid }, { 'x-auth-apikey': text });
    expect(refused.statusCode).toBe(401);
    await works();
    expect(await fixture.store.apiKeys.find(fixture.own.organization.uuid, leaked.tokenUuid)).toMatchObject({
      revokedAtMs: expect.any(Number),
    });
  });

  it('a change that also gives something waits for the database, and is made once', async () => {
    hang();
    let result: Answer | null = null;
    void fixture
      .post(UPDATE, {
        uuid: shareUuid,
        name: 'Gate',
        nameUpdated: true,
        password: 'x',
        passwordUpdated: true,
      })
      .then((response) => {
        result = response.json<Answer>();
      });
    await eventually('it waits for the database', () => unresponsive.waiting > 0);
    fixture.clock.advance(5_000);
    expect(result).toBeNull();
    unresponsive.become('working');
    await eventually('it has its response', () => result !== null);
    // A response from before the database worked would say that the change is in force, but not stored.
    expect(result).toEqual(expect.objectContaining({ error: false }));
    expect(result).not.toHaveProperty('warningMsg');
    expect(await stored()).toMatchObject({ name: 'Gate', accessEpoch: 2 });
  });
});

describe('a database that answers after five seconds', () => {
  it('has the password once, and one row about it', async () => {
    hang();
    const change = { uuid: shareUuid, password: 'correct horse', passwordUpdated: true };
    const [first] = (await responded([UPDATE, change])) as [Responded];
    expect(first.answer.warningMsg).toBe(IN_FORCE);
    fixture.clock.advance(3_000);
    await works();
    expect(await stored()).toMatchObject({ accessEpoch: 2 });
    expect(await auditRows('SHARED_LIVE_VIDEO_STREAM_UPDATE')).toBe(1);
  });

  it('does not put an earlier password over a later one', async () => {
    hang();
    const password = (text: string): [string, object] => [
      UPDATE,
      { uuid: shareUuid, password: text, passwordUpdated: true },
    ];
    await responded(password('the first'));
    fixture.clock.advance(1_000);
    await responded(password('the second'));
    const [inForce] = fixture.ends.all();
    await works();
    const { passwordHash } = (await stored())!;
    expect(inForce).toMatchObject({ kind: 'rules', passwordHash });
  });
});
