/** Whether the public URL answers: the gateway's own request to it, and an address that a person opens from outside. */

import type { Caller } from '../accounts/caller.ts';
import { GatewayError } from '../core/errors.ts';
import { FewAtOnce } from '../core/few-at-once.ts';
import { SYSTEM_ERRORS } from './errors.ts';
import type { AddressReach, PublicUrlFault, PublicUrlResponse } from './public-url-request.ts';
import type { OpenedCheck, PublicUrlVisit } from './public-url-visits.ts';

/** `works`: the request arrived here. `other-gateway`: our page came, but from another node or another gateway. */
export type PublicUrlResult = 'works' | 'other-gateway' | PublicUrlFault;

export interface PublicUrlReport {
  readonly publicUrl: string;
  readonly reach: AddressReach;
  readonly addresses: readonly string[];
  readonly result: PublicUrlResult;
  readonly detail: string;
  readonly status: number | null;
  /** How the gateway's own request arrived; null: it did not. */
  readonly arrival: PublicUrlVisit | null;
}

export interface PublicUrlCheck extends OpenedCheck {
  /** To be opened from outside. */
  readonly pageUrl: string;
}

/** Calls that other parts of the gateway answer. */
export interface PublicUrlCalls {
  /** Base of the media listener as viewers reach it. */
  readonly publicUrl: URL;
  openPublicUrlCheck(): Promise<OpenedCheck>;
  /** null: there is no such check, or no longer. */
  publicUrlVisits(checkId: string): Promise<readonly PublicUrlVisit[] | null>;
  requestPublicUrl(url: URL): Promise<PublicUrlResponse>;
}

const WAITING_REQUESTS = 2;

/** Every call fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
export class PublicUrlService {
  /** Fails if the caller is not an operator. */
  readonly #callsFor: (caller: Caller) => PublicUrlCalls;
  readonly #requests = new FewAtOnce(
    1,
    WAITING_REQUESTS,
    () => new GatewayError(SYSTEM_ERRORS.PUBLIC_URL_TEST_RUNNING),
  );

  constructor(callsFor: (caller: Caller) => PublicUrlCalls) {
    this.#callsFor = callsFor;
  }

  async open(caller: Caller): Promise<PublicUrlCheck> {
    const calls = this.#callsFor(caller);
    const check = await calls.openPublicUrlCheck();
    return { ...check, pageUrl: pageUrl(calls.publicUrl, check.checkId).href };
  }

  /** The last one first. Fails PUBLIC_URL_CHECK_NOT_FOUND. */
  async visits(caller: Caller, checkId: string): Promise<readonly PublicUrlVisit[]> {
    const visits = await this.#callsFor(caller).publicUrlVisits(checkId);
    if (visits === null) throw new GatewayError(SYSTEM_ERRORS.PUBLIC_URL_CHECK_NOT_FOUND);
    return visits;
  }

  /** Asks the public URL, one request at a time. Fails PUBLIC_URL_TEST_RUNNING. */
  async request(caller: Caller): Promise<PublicUrlReport> {
    const calls = this.#callsFor(caller);
    const { publicUrl } = calls;
    return this.#requests.run(async () => {
      const { checkId } = await calls.openPublicUrlCheck();
      const response = await calls.requestPublicUrl(pageUrl(publicUrl, checkId));
      const arrival = (await calls.publicUrlVisits(checkId))?.[0] ?? null;
      const { addresses, reach } = response;
      return { publicUrl: publicUrl.href, addresses, reach, arrival, ...resultOf(response, arrival) };
    });
  }
}

function resultOf(
  { outcome }: PublicUrlResponse,
  arrival: PublicUrlVisit | null,
): Pick<PublicUrlReport, 'result' | 'detail' | 'status'> {
  if (outcome.kind === 'fault') {
    return { result: outcome.fault, detail: outcome.detail, status: outcome.status };
  }
  return { result: arrival === null ? 'other-gateway' : 'works', detail: '', status: 200 };
}

function pageUrl(publicUrl: URL, checkId: string): URL {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/reach/${checkId}`;
  return url;
}
