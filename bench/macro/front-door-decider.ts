/**
 * Child module: the small service that nginx asks with auth_request in the front-door benchmark. It makes the gateway's
 * decision about each request, from memory: is the grant signed, does its share still exist, is it shown now, and has it
 * not expired?
 */

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { decideAccess } from '../../src/sharing/access-decision.ts';
import { Grants } from '../../src/sharing/grant.ts';
import type { Share } from '../../src/store/entities.ts';
import { sampleShare } from '../../src/store/sample-entities-fixture.ts';
import { type ProcessUsage, processUsage, responseParent } from '../support/child-module.ts';

export interface FrontDoorDeciderCalls {
  /** Returns where it listens, and a grant that it accepts. */
  start(nothing: null): Promise<{ port: number; grant: string }>;
  usage(nothing: null): ProcessUsage;
}

const HOUR_SEC = 3_600;
const KEY_BYTES = 32;
const KEEP_ALIVE_MS = 3_600_000;

async function start(): Promise<{ port: number; grant: string }> {
  const grants = new Grants(randomBytes(KEY_BYTES));
  const expiresAtSec = Math.ceil(Date.now() / 1_000) + HOUR_SEC;
  const share = sampleShare(newRuuid(), { scheduleUuid: null, passwordHash: null, expiresAtSec });
  const shares = new Map<Ruuid, Share>([[share.uuid, share]]);
  const app = fastify({ logger: false, keepAliveTimeout: KEEP_ALIVE_MS });
  app.get('/decide', ({ headers }, reply) => {
    const [, , text = ''] = String(headers['x-original-uri']).split('/', 3);
    const grant = grants.verify(text);
    const decision = decideAccess({
      credential: grant === null ? null : { kind: 'grant', ...grant },
      share: grant === null ? null : (shares.get(grant.shareUuid) ?? null),
      schedule: null,
      ended: null,
      admittedTo: null,
      otherViewers: 0,
      maxViewers: null,
      nowEpochMs: Date.now(),
    });
    reply.code(decision.allowed ? 204 : 403).send();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, grant: grants.issue(share.uuid, share.accessEpoch, expiresAtSec) };
}

const calls: FrontDoorDeciderCalls = { start, usage: processUsage };

responseParent(calls);
