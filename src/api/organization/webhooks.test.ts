import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import type { LocalWebhookHost } from '../../webhooks/local-webhook-host-fixture.ts';
import { webhookSignature } from '../../webhooks/webhook-signature.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { OAuthTester } from '../oauth-fixture.ts';

const GET = '/api/integrations/webhooks/getWebhookIntegration';
const UPDATE = '/api/integrations/webhooks/updateWebhookIntegrationV2';
const DELETE = '/api/integrations/webhooks/deleteWebhookIntegrationV2';
const DELIVERIES = '/api/webhook/getDeliveries';
const TEST = '/api/webhook/sendTestDelivery';

let fixture: ApiFixture;
let host: LocalWebhookHost;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  host = fixture.webhookHost;
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const read = async (headers?: Record<string, string>) =>
  (await fixture.call(GET, {}, headers)).orgIntegrationV2 as Record<string, unknown> | undefined;

async function alerts(count = 1): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    uuid: newRuuid(),
    deviceUuid: fixture.own.camera.uuid,
    timestampMs: fixture.clock.epochMs(),
    policyAlertTriggers: ['MOTION_HUMAN'],
  }));
  await fixture.call('/api/ingest/policyAlerts', { rows });
  await fixture.accessControl.eventEffects.settled();
  await fixture.accessControl.deliveries.idle();
}

describe('an application', () => {
  const MASKED = /^https:\/\/hook\.example\/…\d?$/;
  let asApplication: Record<string, string>;
  beforeEach(async () => {
    const oauth = new OAuthTester(fixture);
    const { access_token } = await oauth.tokens(await oauth.register());
    asApplication = { 'x-auth-apikey': '', 'x-auth-access-token': access_token };
    await fixture.call(UPDATE, { webhookUrl: host.url('/secret-path') });
    await fixture.call(UPDATE, { webhookUrl: host.url('/other-path') });
  });

  it('with the rights of an admin key sees neither paths of webhooks nor what signs their calls', async () => {
    const [known, seen] = [await read(), await read(asApplication)];
    const secrets = Object.values(known?.activityWebhooks as Record<string, string>);
    expect(secrets).toHaveLength(2);
    const text = JSON.stringify(seen);
    for (const hidden of [...secrets, 'secret-path', 'other-path']) expect(text).not.toContain(hidden);
    const infos = seen?.activityWebhooksV2 as Record<string, { webhookSecret: string }>;
    expect(Object.keys(infos)).toHaveLength(2);
    for (const [url, { webhookSecret }] of Object.entries(infos)) {
      expect(url).toMatch(MASKED);
      expect(webhookSecret).toBe('…');
    }
    expect(Object.keys(known!).sort()).toEqual(Object.keys(seen!).sort());
  });

  it('gets the secret of an address that it adds, and not that of one that is there', async () => {
    const add = (url: string) => fixture.call(UPDATE, { webhookUrl: url }, asApplication);
    expect((await add(host.url('/its-own'))).webhookSecret).toMatch(/^[\w-]{43}$/);
    expect((await add(host.url('/secret-path'))).webhookSecret ?? null).toBeNull();
  });

  it('cannot store what it was shown in place of addresses and secrets', async () => {
    const { activityWebhooksV2, activityWebhooks } = (await read(asApplication))!;
    const before = await read();
    for (const updatedWebhookSettings of [{ activityWebhooksV2 }, { activityWebhooks }]) {
      const response = await fixture.call(UPDATE, { updatedWebhookSettings }, asApplication);
      expect(response).toMatchObject({ error: true, errorMsg: expect.stringContaining('whole addresses') });
    }
    expect(await read()).toEqual(before);
  });
});

describe(UPDATE, () => {
  it('notifies an address of alerts, and returns its secret', async () => {
    expect(await read()).toBeUndefined();
    const { webhookSecret } = await fixture.call(UPDATE, { webhookUrl: host.url() });
    expect(webhookSecret).toMatch(/^[\w-]{43}$/);
    const time = fixture.clock.epochMs();
    expect(await read()).toEqual({
      enabled: true,
      integration: 'WEBHOOKS',
      integrationAuditMap: {
        [time]: {
          integrationAuditEvent: 'UPDATE',
          enabledTimestampMs: time,
          user: 'integration',
        },
      },
      orgUuid: fixture.own.organization.uuid,
      activityWebhooks: { [host.url()]: webhookSecret },
      activityWebhooksV2: { [host.url()]: { webhookDisabled: false, webhookSecret } },
      diagnosticWebhooks: {},
      diagnosticWebhooksV2: {},
      ruleWebhooks: {},
    });
    await alerts(2);
    expect(host.calls).toHaveLength(1);
    expect(JSON.parse(host.calls[0]!.body)).toMatchObject({
      event: 'activity',
      orgUuid: fixture.own.organization.uuid,
      events: [
        { kind: 'policyAlert', details: { policyAlertTriggers: ['MOTION_HUMAN'] } },
        { kind: 'policyAlert' },
      ],
    });
    expect((await fixture.call(DELIVERIES)).deliveries).toMatchObject([
      { event: 'activity', state: 'DELIVERED' },
    ]);
  });

  it('keeps the secret of an address that it changes', async () => {
    const first = await fixture.call(UPDATE, { webhookUrl: host.url() });
    const again = await fixture.call(UPDATE, { webhookUrl: host.url(), disabled: true });
    expect(again.webhookSecret).toBe(first.webhookSecret);
    await alerts();
    expect(host.calls).toEqual([]);
  });

  it.each([
    { updatedWebhookSettings: { enabled: false } },
    { webhookUrl: 'https://x.example/', isDiagnostic: true },
  ])('notifies no one of alerts after %j', async (change) => {
    const settings = 'isDiagnostic' in change ? {} : { webhookUrl: host.url() };
    await fixture.call(UPDATE, { ...settings, ...change });
    await alerts();
    expect(host.calls).toEqual([]);
    expect((await fixture.call(DELIVERIES)).deliveries).toEqual([]);
  });

  it('replaces all addresses of a map', async () => {
    await fixture.call(UPDATE, { webhookUrl: 'https://old.example/' });
    const activityWebhooksV2 = {
      'https://a.example/': { webhookSecret: 'own' },
      'https://b.example/x': { webhookDisabled: true },
    };
    await fixture.call(UPDATE, { updatedWebhookSettings: { activityWebhooksV2 } });
    expect(await read()).toMatchObject({
      activityWebhooksV2: {
        'https://a.example/': { webhookDisabled: false, webhookSecret: 'own' },
        'https://b.example/x': { webhookDisabled: true },
      },
    });
    expect((await read())!.activityWebhooksV2).not.toHaveProperty('https://old.example/');
    await fixture.call(UPDATE, {
      updatedWebhookSettings: { activityWebhooks: { 'https://c.example/': 's' } },
    });
    expect((await read())!.activityWebhooks).toEqual({ 'https://c.example/': 's' });
  });

  it.each([
    [{ webhookUrl: 'x' }, /^webhookUrl must be an http or https URL/],
    [{ webhookUrl: 'https://u:p@x.example/' }, /^webhookUrl must be/],
    [{ updatedWebhookSettings: { orgUuid: newRuuid() } }, /^updatedWebhookSettings\.orgUuid must be/],
    [
      { updatedWebhookSettings: { diagnosticWebhooksV2: { nowhere: {} } } },
      /^updatedWebhookSettings\.diagnosticWebhooksV2 must be/,
    ],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(UPDATE, body)).errorMsg).toMatch(sentence);
    expect(await read()).toBeUndefined();
  });

  it('is each organization’s own', async () => {
    await fixture.call(UPDATE, { webhookUrl: host.url() });
    expect(await read(foreignHeaders)).toBeUndefined();
    expect((await fixture.call(DELIVERIES, {}, foreignHeaders)).deliveries).toEqual([]);
  });
});

describe(DELETE, () => {
  it('deletes it with its addresses', async () => {
    await fixture.call(UPDATE, { webhookUrl: host.url() });
    expect(await fixture.call(DELETE, {}, foreignHeaders)).toEqual({ error: false });
    expect(await read()).toMatchObject({ enabled: true });
    expect(await fixture.call(DELETE)).toMatchObject({ error: false });
    expect(await read()).toBeUndefined();
    await alerts();
    expect(host.calls).toEqual([]);
    expect(await fixture.call(DELETE)).toEqual({ error: false });
  });
});

describe(DELIVERIES, () => {
  it('is read page by page, each call once', async () => {
    await fixture.call(UPDATE, { webhookUrl: host.url() });
    for (let index = 0; index < 3; index++) {
      await alerts();
      fixture.clock.advance(1);
    }
    const first = await fixture.call(DELIVERIES, { maxPageSize: 2 });
    await alerts();
    const { lastEvaluatedKey } = first;
    const second = await fixture.call(DELIVERIES, { maxPageSize: 2, lastEvaluatedKey });
    const uuids = [first, second].flatMap(({ deliveries }) =>
      (deliveries as { uuid: string }[]).map(({ uuid }) => uuid),
    );
    expect(uuids).toEqual(host.calls.map(({ headers }) => headers['x-sluice-delivery']));
    expect(second).not.toHaveProperty('lastEvaluatedKey');
  });

  it('is read from its newest call on, with keys that lead on in that order alone', async () => {
    await fixture.call(UPDATE, { webhookUrl: host.url() });
    for (let index = 0; index < 3; index++) {
      await alerts();
      await fixture.clock.advance(1);
    }
    const newest = { isNewestFirst: true, maxPageSize: 2 };
    const first = await fixture.call(DELIVERIES, newest);
    const { lastEvaluatedKey } = first;
    const second = await fixture.call(DELIVERIES, { ...newest, lastEvaluatedKey });
    const uuids = [first, second].flatMap(({ deliveries }) =>
      (deliveries as { uuid: string }[]).map(({ uuid }) => uuid),
    );
    expect(uuids).toEqual(host.calls.map(({ headers }) => headers['x-sluice-delivery']).reverse());
    expect((await fixture.call(DELIVERIES, { lastEvaluatedKey })).errorMsg).toMatch(/^lastEvaluatedKey/);
  });

  it('refuses an invalid cause and an invalid key', async () => {
    expect((await fixture.call(DELIVERIES, { causeUuid: newRuuid() })).error).toBe(true);
    expect((await fixture.call(DELIVERIES, { lastEvaluatedKey: 'x' })).errorMsg).toMatch(/^lastEvaluatedKey/);
  });
});

describe(TEST, () => {
  it('calls once, signed and marked, and returns what came back', async () => {
    const url = host.url('/hook');
    const { webhookSecret } = await fixture.call(UPDATE, { webhookUrl: url, disabled: true });
    host.answer = () => ({ status: 202, body: 'queued\u0007 as \u202e7' });
    expect(await fixture.call(TEST, { webhookUrl: url })).toEqual({
      error: false,
      delivered: true,
      httpStatus: 202,
      durationMs: 0,
      responseStart: 'queued as 7',
    });
    const [call] = host.calls;
    expect(JSON.parse(call!.body)).toEqual({
      event: 'test',
      orgUuid: fixture.own.organization.uuid,
      events: [],
    });
    const nowSec = Math.floor(fixture.clock.epochMs() / 1_000);
    expect(call!.headers['x-sluice-signature']).toBe(
      webhookSignature(new Secret(String(webhookSecret)), nowSec, call!.body),
    );
    const { deliveries } = await fixture.call(DELIVERIES);
    expect(deliveries).toMatchObject([
      { event: 'test', state: 'DELIVERED', attempts: [{ httpStatus: 202 }] },
    ]);
  });

  it('says what went wrong, and tries it once', async () => {
    const url = host.url('/hook');
    await fixture.call(UPDATE, { webhookUrl: url });
    host.answer = () => ({ status: 503, body: 'x'.repeat(10_000) });
    const response = await fixture.call(TEST, { webhookUrl: url });
    expect(response).toMatchObject({
      error: false,
      delivered: false,
      httpStatus: 503,
      errorCode: 'WEBHOOK_ANSWER_REFUSED',
      errorSentence: 'The host refused the call.',
      responseStart: 'x'.repeat(200),
    });
    await fixture.accessControl.deliveries.idle();
    expect(host.calls).toHaveLength(1);
    expect((await fixture.call(DELIVERIES)).deliveries).toMatchObject([{ state: 'FAILED' }]);
  });

  it('shows another organization no response while private networks can be called, nor calls its webhooks', async () => {
    const url = host.url('/hook');
    host.answer = () => ({ status: 200, body: 'inside' });
    await fixture.call(UPDATE, { webhookUrl: url });
    expect(await fixture.call(TEST, { webhookUrl: url }, foreignHeaders)).toMatchObject({ error: true });
    expect(host.calls).toEqual([]);
    await fixture.call(UPDATE, { webhookUrl: url }, foreignHeaders);
    const response = await fixture.call(TEST, { webhookUrl: url }, foreignHeaders);
    expect(response).toMatchObject({ error: false, delivered: true, httpStatus: 200 });
    expect(response.responseStart).toBeUndefined();
  });

  it('has the share of the organization in calls that are being made', async () => {
    const url = host.url('/hook');
    await fixture.call(UPDATE, { webhookUrl: url });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    host.answer = async () => {
      await released;
      return { status: 204 };
    };
    const waiting = Array.from({ length: 4 }, () => fixture.call(TEST, { webhookUrl: url }));
    await eventually('four calls', () => host.calls.length === 4);
    const fifth = await fixture.call(TEST, { webhookUrl: url });
    expect(fifth).toMatchObject({ error: true, errorMsg: expect.stringContaining('Too many') });
    release();
    for (const response of await Promise.all(waiting)) expect(response).toMatchObject({ delivered: true });
  });
});
