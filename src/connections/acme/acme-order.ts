/** One order at the ACME server, from the account to the certificate. RFC 8555 §7. The only file that knows the library. */

import { generateKeyPairSync } from 'node:crypto';
import type { Authorization, Client, Order } from 'acme-client';
import { Backoff } from '../../core/backoff.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { isLate, withDeadline } from '../../core/deadline.ts';
import { GatewayError } from '../../core/errors.ts';
import { CONNECTION_ERRORS } from '../errors.ts';
import {
  invalidResponse,
  sendToAcmeServer,
  shown,
  type TransportOptions,
  type WantedRequest,
} from './acme-transport.ts';
import type { ChallengeResponder } from './challenge-responder.ts';
import type { CertificateWithKey } from './self-signed.ts';

export interface OrderOptions {
  readonly directory: string;
  readonly domains: readonly string[];
  readonly email: string | null;
  readonly accountKeyPem: string;
  readonly caPem: string | null;
  readonly responder: Pick<ChallengeResponder, 'add' | 'remove'>;
  readonly clock: Clock;
  /** Ends the order. */
  readonly signal: AbortSignal;
}

type Challenge = Authorization['challenges'][number];

/** The time for the whole order, and for each of its domains. */
const ORDER_MS = 5 * 60_000;
const DOMAIN_MS = 5_000;
/** As many as the responder has responses. */
const MAX_AUTHORIZATIONS = 100;
const FIRST_LOOK_MS = 1_000;
const LAST_LOOK_MS = 15_000;

/** Resolves with the chain and a key of its own. Fails with a code of CONNECTION_ERRORS. */
export async function orderCertificate(options: OrderOptions): Promise<CertificateWithKey> {
  const orderMs = ORDER_MS + options.domains.length * DOMAIN_MS;
  const inTime = async (signal: AbortSignal): Promise<CertificateWithKey> => {
    try {
      return await order({ ...options, signal });
    } catch (thrown) {
      if (isLate(signal)) throw new GatewayError(CONNECTION_ERRORS.ACME_TIMEOUT);
      if (thrown instanceof GatewayError) throw thrown;
      // The library's own errors have no type, and its messages repeat the server. No cause: it may hold a signed request.
      const reason = shown(thrown instanceof Error ? thrown.message : '');
      throw new GatewayError(CONNECTION_ERRORS.ACME_ANSWER_INVALID, { reason });
    }
  };
  return await withDeadline(options.clock, orderMs, inTime, options.signal);
}

async function order(options: OrderOptions): Promise<CertificateWithKey> {
  const { domains, email } = options;
  const acme = await loadLibrary(options);
  const client = new acme.Client({ directoryUrl: options.directory, accountKey: options.accountKeyPem });
  // An account that exists is found by its key (RFC 8555 §7.3.1).
  await client.createAccount({
    termsOfServiceAgreed: true,
    ...(email === null ? {} : { contact: [`mailto:${email}`] }),
  });
  const identifiers = domains.map((value) => ({ type: 'dns', value }));
  const ordered = await client.createOrder({ identifiers });
  await prove(client, ordered, options);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const [, csr] = await acme.crypto.createCsr({ altNames: [...domains] }, keyPem);
  await until(options, async () => (await client.getOrder(ordered)).status !== 'pending');
  let finished = await client.finalizeOrder(ordered, csr);
  await until(options, async () => {
    finished = await client.getOrder(finished);
    return finished.status !== 'processing';
  });
  if (finished.status !== 'valid') throw invalidResponse(`order is ${shown(finished.status)}`);
  const certPem: unknown = await client.getCertificate(finished);
  if (typeof certPem !== 'string') throw invalidResponse('a certificate that is not PEM');
  return { certPem, keyPem };
}

/** Loaded when it is needed. It has one transport for all its clients. */
async function loadLibrary({ directory, caPem, signal }: TransportOptions) {
  const acme = await import('acme-client');
  const settings = acme.axios.defaults as unknown as Record<string, unknown>;
  settings.acmeSettings = { ...(settings.acmeSettings as object), retryMaxAttempts: 0 };
  settings.adapter = async (config: WantedRequest) => ({
    ...(await sendToAcmeServer(config, { directory, caPem, signal })),
    config,
  });
  return acme;
}

async function prove(client: Client, ordered: Order, options: OrderOptions): Promise<void> {
  const { responder } = options;
  const pending: string[] = [];
  const tokens: string[] = [];
  try {
    // One after the other: ACME servers limit concurrent requests.
    for (const url of authorizationsOf(ordered)) {
      const authorization = await readAuthorization(client, url);
      if (authorization.status === 'valid') continue;
      const challenge = challengeOf(authorization);
      const keyAuthorization = await client.getChallengeKeyAuthorization(challenge);
      if (!responder.add(challenge.token, keyAuthorization)) throw invalidResponse('a token that is none');
      tokens.push(challenge.token);
      await client.completeChallenge(challenge);
      pending.push(url);
    }
    await until(options, async () => {
      for (let url = pending[0]; url !== undefined; url = pending[0]) {
        if ((await readAuthorization(client, url)).status !== 'valid') return false;
        pending.shift();
      }
      return true;
    });
  } finally {
    for (const token of tokens) responder.remove(token);
  }
}

function authorizationsOf({ authorizations }: Order): readonly string[] {
  if (!Array.isArray(authorizations)) throw invalidResponse('an order without authorizations');
  // The server decides how many there are (RFC 8555 §7.1.3), but not how long it keeps the gateway busy.
  if (authorizations.length > MAX_AUTHORIZATIONS) throw invalidResponse('too many authorizations');
  return authorizations;
}

/** One that is valid, or can become so. */
async function readAuthorization(client: Client, url: string): Promise<Authorization> {
  const [authorization] = await client.getAuthorizations({ authorizations: [url] } as Order);
  if (authorization === undefined) throw invalidResponse('no authorization');
  expectProvable(authorization);
  return authorization;
}

function challengeOf({ challenges, identifier }: Authorization): Challenge {
  const challenge = challenges.find(({ type }) => type === 'http-01');
  if (challenge === undefined) throw invalidResponse(`no http-01 for ${shown(identifier.value)}`);
  return challenge;
}

function expectProvable({ status, identifier, challenges }: Authorization): void {
  if (status === 'pending' || status === 'valid') return;
  const error: { detail?: string } = challenges.find((challenge) => 'error' in challenge)?.error ?? {};
  throw new GatewayError(CONNECTION_ERRORS.ACME_DOMAIN_NOT_PROVEN, {
    domain: shown(identifier.value),
    detail: shown(error.detail),
  });
}

/** Looks less and less often. Rejects when the order is ended. */
async function until({ clock, signal }: OrderOptions, isOver: () => Promise<boolean>): Promise<void> {
  const looks = new Backoff({ firstMs: FIRST_LOOK_MS, lastMs: LAST_LOOK_MS });
  while (!(await isOver())) {
    await pause(clock, looks.failed(), signal);
    if (signal.aborted) throw new GatewayError(CONNECTION_ERRORS.ACME_TIMEOUT);
  }
}
