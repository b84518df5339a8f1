/** Shares whose viewers sign in at the provider: the effect of a proof, and its end. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import { sessionAtProvider } from '../oidc/provider-logout.ts';
import { ProviderLogouts } from '../oidc/provider-logouts.ts';
import type { Share } from '../store/entities.ts';
import type { OpeningRequest } from './share-gate.ts';
import {
  GRANT_LIFETIME_MS,
  openSharingFixture,
  type SharingFixture,
  type SharingFixtureOptions,
} from './sharing-fixture.ts';
import { SignedInViews } from './signed-in-views.ts';
import { ViewerProofs } from './viewer-proofs.ts';

const ISSUER = 'https://login.example';
const ada: ProviderIdentity = {
  issuer: ISSUER,
  subject: 'ada',
  email: 'Ada@Example.com',
  name: null,
  claims: {},
  session: sessionAtProvider({ iss: ISSUER, sub: 'ada', sid: 'one', iat: 1_000 }),
};
const from = { ip: '192.0.2.1' };

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

async function restart(options: SharingFixtureOptions): Promise<void> {
  await fixture.close();
  fixture = await openSharingFixture(options);
}

const makeShare = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ssoProtected: true, ...fields });
const change = (share: Share, changes: object) => fixture.shares.update(fixture.orgUuid, share.uuid, changes);
const prove = (share: Share, who = ada) => fixture.proofs!.issue(share, who);
const open = (share: Pick<Share, 'uuid'>, request: Partial<OpeningRequest> = {}) =>
  fixture.gate.open({
    shareToken: fixture.tokens.tokenOf(share.uuid),
    password: null,
    address: from.ip,
    onNear: () => undefined,
    ...request,
  });
const needed = { allowed: false, reason: 'sign-in-needed' };
const watch = (grantText: string) => fixture.sessions.access(grantText, from);

async function grantOf(share: Share, signInProof: string, password: string | null = null): Promise<string> {
  const opened = await open(share, { signInProof, password });
  if (!opened.allowed) throw new Error(opened.reason);
  return opened.grantText;
}

describe('a share that asks for a sign-in', () => {
  it('opens with the proof of its viewer, and with nothing else', async () => {
    const share = await makeShare();
    expect(share.ssoProtected).toBe(true);
    expect(await open(share)).toMatchObject(needed);
    expect(await open(share, { password: 'anything' })).toMatchObject(needed);
    for (const signInProof of ['', 'x', 'A'.repeat(5_000), prove(share).slice(0, -2)]) {
      expect(await open(share, { signInProof })).toMatchObject(needed);
    }
    const opened = await open(share, { signInProof: prove(share) });
    expect(opened).toMatchObject({ allowed: true, viewerEmail: 'Ada@Example.com' });
    expect(watch(await grantOf(share, prove(share)))).toMatchObject({ allowed: true });
  });

  it('has no still image for its link alone, and is not open to all', async () => {
    const share = await makeShare();
    expect(fixture.gate.look(fixture.tokens.tokenOf(share.uuid), from)).toMatchObject(needed);
    expect(await fixture.shares.openToAll(fixture.orgUuid, [share])).toEqual([]);
  });

  it('does not open with the proof of another link', async () => {
    const [one, other] = [await makeShare(), await makeShare()];
    expect(await open(one, { signInProof: prove(other) })).toMatchObject(needed);
  });

  it('does not open with what another key, issuer or domain has sealed', async () => {
    const share = await makeShare();
    const options = { clock: fixture.clock, lifetimeMs: 60_000, views: fixture.signedIn };
    const settings = { issuer: ISSUER, allowedDomains: ['example.com', 'evil.example'] };
    const forged = new ViewerProofs({ ...options, settings, sealingKey: Buffer.alloc(32, 6) });
    const sealingKey = Buffer.alloc(32, 5);
    const formerly = new ViewerProofs({ ...options, settings, sealingKey });
    const elsewhere = new ViewerProofs({
      ...options,
      sealingKey,
      settings: { ...settings, issuer: 'https://other.example' },
    });
    const other = { ...ada, issuer: 'https://other.example' };
    for (const signInProof of [
      forged.issue(share, ada),
      formerly.issue(share, { ...ada, email: 'eve@evil.example' }),
      elsewhere.issue(share, other),
    ]) {
      expect(await open(share, { signInProof })).toMatchObject(needed);
    }
    expect(await open(share, { signInProof: formerly.issue(share, ada) })).toMatchObject({ allowed: true });
  });

  it('is for verified addresses of the allowed domains', async () => {
    const share = await makeShare();
    expect(() => prove(share, { ...ada, email: null })).toThrow(
      expect.objectContaining({ code: 'OIDC_EMAIL_UNVERIFIED' }),
    );
    for (const email of ['eve@evil.example', 'eve@sub.example.com', 'example.com@evil.example', '']) {
      expect(() => prove(share, { ...ada, email })).toThrow(
        expect.objectContaining({ code: 'OIDC_DOMAIN_NOT_ALLOWED' }),
      );
    }
  });

  it('asks again after the lifetime of a grant, which ends no later than the proof', async () => {
    const share = await makeShare();
    const signInProof = prove(share);
    fixture.clock.advance(GRANT_LIFETIME_MS - 5_000);
    const grantText = await grantOf(share, signInProof);
    expect(watch(grantText)).toMatchObject({ allowed: true });
    fixture.clock.advance(6_000);
    expect(watch(grantText)).toMatchObject({ allowed: false });
    expect(await open(share, { signInProof })).toMatchObject(needed);
  });

  it('asks again after a logout at the provider, which ends the view', async () => {
    const [share, other] = [await makeShare(), await makeShare()];
    const { session } = ada;
    const inOther = sessionAtProvider({ iss: ISSUER, sub: 'ada', sid: 'two', iat: 1_000 });
    const signInProof = prove(share);
    const [ended, kept] = [
      await grantOf(share, signInProof),
      await grantOf(other, prove(other, { ...ada, session: inOther })),
    ];
    const cutOff: string[] = [];
    const view = watch(ended);
    if (!view.allowed) throw new Error(view.reason);
    view.waiting.add({ onCutOff: ({ reason }) => void cutOff.push(reason) });
    expect(watch(kept)).toMatchObject({ allowed: true });
    const logouts = new ProviderLogouts({
      store: fixture.store,
      clock: fixture.clock,
      keptMs: GRANT_LIFETIME_MS,
    });
    await logouts.note(fixture.orgUuid, { ended: [session.session], issuedAtSec: 1_000 });
    await fixture.signedIn.settled();
    expect(cutOff).toEqual(['sign-in-needed']);
    expect(watch(ended)).toMatchObject(needed);
    expect(await open(share, { signInProof })).toMatchObject(needed);
    expect(watch(kept)).toMatchObject({ allowed: true });
    const again = { ...ada, session: { ...session, issuedAtSec: 1_001 } };
    expect(watch(await grantOf(share, prove(share, again)))).toMatchObject({ allowed: true });
  });

  it('ends the view after a logout, however many views another organization has begun', async () => {
    const share = await makeShare();
    const grantText = await grantOf(share, prove(share));
    expect(watch(grantText)).toMatchObject({ allowed: true });
    const { clock, signedIn, store, orgUuid } = fixture;
    const session = sessionAtProvider({ iss: ISSUER, sub: 'eve', sid: 'hers', iat: 1_000 });
    const hers = { orgUuid: newRuuid(), shareUuid: newRuuid(), linkUuid: newRuuid(), session };
    for (let count = 0; count < LIMITS.signedInViews.total; count++) {
      const viewerId = `viewer ${count}`;
      signedIn.begun({ ...hers, viewerId, grantUntilEpochMs: clock.epochMs() + GRANT_LIFETIME_MS });
    }
    const logouts = new ProviderLogouts({ store, clock, keptMs: GRANT_LIFETIME_MS });
    await logouts.note(orgUuid, { ended: [ada.session.session], issuedAtSec: 1_000 });
    await signedIn.settled();
    expect(watch(grantText)).toMatchObject(needed);
  });

  it('does not open after a restart with what was ended before it', async () => {
    const share = await makeShare();
    const logouts = new ProviderLogouts({
      store: fixture.store,
      clock: fixture.clock,
      keptMs: GRANT_LIFETIME_MS,
    });
    await logouts.note(fixture.orgUuid, { ended: [ada.session.subject], issuedAtSec: 1_000 });
    await fixture.signedIn.settled();
    const { store, ended, clock } = fixture;
    const views = await SignedInViews.open({ store, ended, clock, log: silentLog });
    expect(views.isOver(ada.session)).toBe(true);
    expect(views.isOver({ ...ada.session, issuedAtSec: 1_001 })).toBe(false);
    views.close();
    expect(await open(share, { signInProof: prove(share) })).toMatchObject(needed);
  });

  it('holds its password, schedule and end at once', async () => {
    const share = await makeShare({ password: 'Correct horse', expirationTimeSecs: 3_600 });
    const signInProof = prove(share);
    expect(await open(share, { password: 'Correct horse' })).toMatchObject(needed);
    expect(await open(share, { signInProof })).toMatchObject({ reason: 'password-needed' });
    expect(await open(share, { signInProof, password: 'wrong' })).toMatchObject({ reason: 'password-wrong' });
    expect(await open(share, { signInProof, password: 'Correct horse' })).toMatchObject({ allowed: true });
    fixture.clock.advance(3_600_000);
    expect(await open(share, { password: 'Correct horse', signInProof })).toMatchObject({
      reason: 'expired',
    });
    expect(fixture.gate.awaitsSignIn(fixture.tokens.tokenOf(share.uuid), from)).toBeNull();
  });
});

describe('views and proofs end', () => {
  it('when the rule is set on a link that was open', async () => {
    const share = await makeShare({ ssoProtected: false });
    const opened = await open(share);
    if (!opened.allowed) throw new Error(opened.reason);
    expect(opened.viewerEmail).toBeNull();
    expect(watch(opened.grantText)).toMatchObject({ allowed: true });
    await change(share, { ssoProtected: true });
    expect(watch(opened.grantText)).toMatchObject(needed);
  });

  it('when the rule is switched off and on again', async () => {
    const share = await makeShare();
    const signInProof = prove(share);
    const grantText = await grantOf(share, signInProof);
    await change(share, { ssoProtected: true });
    expect(watch(grantText)).toMatchObject({ allowed: true });
    await change(share, { ssoProtected: false });
    const again = await change(share, { ssoProtected: true });
    expect(watch(grantText)).toMatchObject(needed);
    expect(await open(share, { signInProof })).toMatchObject(needed);
    expect(await open(share, { signInProof: prove(again) })).toMatchObject({ allowed: true });
  });

  it('when the password changes, and when the share is deleted', async () => {
    const share = await makeShare();
    const signInProof = prove(share);
    const changed = await change(share, { password: 'new' });
    expect(await open(share, { signInProof, password: 'new' })).toMatchObject(needed);
    const grantText = await grantOf(changed, prove(changed), 'new');
    await fixture.shares.remove(fixture.orgUuid, share.uuid);
    expect(watch(grantText)).toMatchObject({ reason: 'revoked' });
    expect(await open(share, { signInProof: prove(changed) })).toMatchObject({ reason: 'revoked' });
  });
});

describe('without a provider', () => {
  it.each([
    [null, 'oidc.issuer'],
    [[], 'oidc.allowedDomains'],
  ])('the rule is refused, and names what is missing (%j)', async (signInDomains, missing) => {
    await restart({ signInDomains });
    const refused = { code: 'SHARE_SSO_UNSUPPORTED', context: { missing } };
    await expect(makeShare()).rejects.toMatchObject(refused);
    const share = await makeShare({ ssoProtected: false });
    await expect(change(share, { ssoProtected: true })).rejects.toMatchObject(refused);
  });

  it('a share that has the rule stays closed', async () => {
    await restart({ signInDomains: null });
    const share = await makeShare({ ssoProtected: false });
    fixture.directory.applied({ kind: 'share', uuid: share.uuid, record: { ...share, ssoProtected: true } });
    expect(await open(share, { signInProof: 'x' })).toMatchObject(needed);
  });
});
