/**
 * The common part of all navigations to and from the provider: an address that failed too often is refused, and a failure is a code for the
 * page that the person returns to.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { subscriberOf } from '../core/subscriber.ts';
import { isGuess } from './errors.ts';

const MAX_QUERY_CHARS = 8_000;

/** Failures of one address, or of one browser in which someone has signed in before (counters/rate-limiter.ts). */
export interface AddressFailures {
  peek(address: string): Promise<{ readonly isAllowed: boolean }>;
  take(address: string): Promise<unknown>;
}

export interface ProviderVisit {
  readonly request: FastifyRequest;
  readonly failures: AddressFailures;
  /** The known browser that the request comes from; null: it counts for its address. */
  readonly browser: string | null;
  readonly log: Log;
  /** The kind of person in the log. */
  readonly who: 'person' | 'viewer';
  work(): Promise<FastifyReply>;
  /** Where a failure leads. */
  fail(code: string): FastifyReply;
}

export async function visitProvider(visit: ProviderVisit): Promise<FastifyReply> {
  const { request, failures, browser, log, who } = visit;
  // Others at its address cannot use up the guesses of a known browser.
  const holder = browser ?? subscriberOf(request.ip);
  try {
    if (!(await failures.peek(holder)).isAllowed) return visit.fail('SIGN_IN_LIMITED');
    return await visit.work();
  } catch (thrown) {
    const failure = toGatewayError(thrown);
    // An outage of the provider is not a guess: it must not lock out passwords.
    if (isGuess(failure)) await failures.take(holder);
    if (failure.kind === 'internal') log.error({ err: failure, who }, 'single sign-on failed internally');
    else log.info({ code: failure.code, address: request.ip, who }, 'single sign-on refused');
    return visit.fail(failure.code);
  }
}

/** The query that the provider added to the callback, up to a length that no provider needs. */
export function callbackQuery(url: string | undefined): URLSearchParams {
  return new URLSearchParams(url?.split('?')[1]?.slice(0, MAX_QUERY_CHARS) ?? '');
}
